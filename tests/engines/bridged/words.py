"""Words that a stand-in spells otherwise than the product that it stands for."""

import re

# A quoted name or a comment: nothing in there is a word, nor in a text.
_APART = r"|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"
# With texts of the standard, and with texts in which a backslash escapes.
STANDARD = r"'(?:[^']|'')*'" + _APART
ESCAPED = r"'(?:[^'\\]|''|\\.)*'" + _APART


def respell(sql, spellings, apart):
    """The SQL with each match of a pattern replaced, outside of texts, quoted names and comments. `spellings` is a list of
    patterns and what is written instead; the first that matches at a place counts. `apart` is one of the above."""
    patterns = "|".join(f"({pattern})" for pattern, _ in spellings)

    def instead(match):
        return spellings[match.lastindex - 1][1] if match.lastindex else match[0]

    return re.sub(f"{apart}|{patterns}", instead, sql, flags=re.IGNORECASE | re.DOTALL)
