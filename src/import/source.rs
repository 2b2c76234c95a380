//! A SELECT as a value of a spec.

use super::yaml::{mapping, quoted};

/// The mapping `source: {query: ..}`, in lines of its own.
pub(super) fn block(query: &str) -> String {
    // A block holds no control characters, and nothing in it can be escaped.
    if query.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{2028}'..='\u{202e}' | '\u{feff}')) {
        return mapping(&[("query", quoted(query.trim()))]);
    }
    let lines: Vec<&str> = query.lines().map(str::trim_end).skip_while(|line| line.is_empty()).collect();
    let margin = lines.iter().filter(|line| !line.is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    let mut out = String::from("\n      query: |-");
    // The first line says how deep the block is; one that is deeper would say it wrong.
    if lines.first().is_some_and(|line| indent(line) > margin) {
        out.push('2');
        out = out.replace("|-2", "|2-");
    }
    for line in lines {
        out.push('\n');
        if !line.is_empty() {
            out.push_str("        ");
            out.push_str(line.get(margin..).unwrap_or(line));
        }
    }
    out
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn a_query_keeps_its_lines() {
        assert_eq!(block("\n  select a\n    from b\n"), "\n      query: |-\n        select a\n          from b");
    }
}
