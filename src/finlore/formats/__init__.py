"""Structure of texts: Markdown, plain text and HTML -> blocks and marked-up spans. Pure; shared by the parsers."""
