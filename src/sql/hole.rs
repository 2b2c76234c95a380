//! Where a tag of a template ends: one answer for whoever reads templates.

/// How many closing braces are looked at, so that no text is read again and again.
const TRIES: usize = 32;

/// The byte behind the closing braces that stand in no quotes and in no other braces, from a place inside of the tag on:
/// `config(post_hook='{{ this }}', meta={'a': {'b': 1}})` has closing braces of its own. Where no braces fit, as with a lone
/// apostrophe, it is behind the first ones; `None` when there are none.
pub fn end(bytes: &[u8], from: usize, close: &[u8]) -> Option<usize> {
    let (mut first, mut at) = (None, from);
    let (mut quote, mut escaped, mut depth) = (None, false, 0_usize);
    for _ in 0..TRIES {
        let Some(found) = find(bytes.get(at..)?, close) else { break };
        let end = at + found;
        for byte in &bytes[at..end] {
            match (quote, byte) {
                (Some(_), _) if escaped => escaped = false,
                (Some(_), b'\\') => escaped = true,
                (Some(open), byte) if open == *byte => quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(*byte),
                (None, b'{') => depth += 1,
                (None, b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        let behind = end + close.len();
        first = first.or(Some(behind));
        if quote.is_none() && depth == 0 {
            return Some(behind);
        }
        // A brace that closes another one may be the first of those that close the tag.
        let is_inner = quote.is_none() && bytes[end] == b'}';
        depth -= usize::from(is_inner);
        at = end + 1;
    }
    first
}

/// Where some bytes begin.
pub(super) fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let first = *what.first()?;
    let mut from = 0;
    while let Some(found) = bytes.get(from..)?.iter().position(|byte| *byte == first) {
        from += found;
        if bytes[from..].starts_with(what) {
            return Some(from);
        }
        from += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn braces_in_quotes_and_in_braces_end_nothing() {
        for text in [
            "{{ a }}",
            "{{ config(post_hook='{{ this }}') }}",
            "{{ config(meta={'a': {'b': 1}}) }}",
            "{{ {'a': {'b': 1}}}}",
            r#"{{ f("it's", 'x\'}}') }}"#,
        ] {
            assert_eq!(end(format!("{text} }}}}").as_bytes(), 2, b"}}"), Some(text.len()), "{text}");
        }
        assert_eq!(end(b"{{ it's }} x", 2, b"}}"), Some(10));
        assert_eq!(end(b"{{ a", 2, b"}}"), None);
    }
}
