//! SQL text to statements to facts: splitting, parsing, conformance to a dialect.
