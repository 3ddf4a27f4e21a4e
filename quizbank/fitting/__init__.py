"""The scheduler's weights fitted to a person's own log, and judged on reviews the fit has not seen."""
