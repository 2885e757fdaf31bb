"""Monitoring for the operator: log lines and metrics, never about a person."""
