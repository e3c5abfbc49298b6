"""What bench/report.py measures, a module a group of sections."""
