"""Quality control of what was extracted: names made one, gaps filled, placeholders read again, doubts asked."""
