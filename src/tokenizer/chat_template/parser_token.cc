#include "tokenizer/chat_template/parser.h"
#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {
namespace {

constexpr int kMaxNesting = 100;

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kData:
      return "text";
    case TokenKind::kVariableBegin:
      return "{{";
    case TokenKind::kVariableEnd:
      return "}}";
    case TokenKind::kBlockBegin:
      return "{%";
    case TokenKind::kBlockEnd:
      return "%}";
    case TokenKind::kString:
      return "a string";
    case TokenKind::kEnd:
      return "the end of the template";
    default:
      return fmt::format("'{}'", quotable(token.text));
  }
}

}  // namespace

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kMaxNesting) {
    --parser_.nesting_;
    refuse_cost("nests expressions or blocks deeper than {}", kMaxNesting);
  }
}

Token Parser::next() {
  const Token& token = peek();
  line_ = token.line;
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::sees_operator(std::string_view text, size_t ahead) const {
  return peek(ahead).kind == TokenKind::kOperator && peek(ahead).text == text;
}

bool Parser::sees_name(std::string_view text, size_t ahead) const {
  return peek(ahead).kind == TokenKind::kName && peek(ahead).text == text;
}

bool Parser::skip_operator(std::string_view text) {
  if (!sees_operator(text)) return false;
  next();
  return true;
}

bool Parser::skip_name(std::string_view text) {
  if (!sees_name(text)) return false;
  next();
  return true;
}

void Parser::expect_operator(std::string_view text) {
  if (!skip_operator(text)) refuse_token(fmt::format("'{}'", text));
}

void Parser::expect_name(std::string_view text) {
  if (!skip_name(text)) refuse_token(fmt::format("'{}'", text));
}

std::string Parser::expect_any_name(const char* what) {
  if (!sees(TokenKind::kName)) refuse_token(what);
  return next().text;
}

void Parser::expect_block_end() {
  if (!sees(TokenKind::kBlockEnd)) refuse_token("%}");
  next();
}

void Parser::refuse_token(std::string_view expected) {
  line_ = peek().line;
  refuse_malformed("found {}, expected {}", describe(peek()), expected);
}

}  // namespace legato::tokenizer::jinja
