//! Bind parameters, in the style of each dialect.

use super::Dialect;
use super::mechanism::Parameter;
use super::types::Type;

impl Dialect {
    /// The bind parameter for the value that stands at `index` (from 1) and is called `name`: `$1`, `?`, `:order_id`,
    /// `@order_id`, `{order_id:Nullable(Int64)}`.
    ///
    /// A name that is not made of ASCII letters, digits and underscores, or that is reserved (Oracle answers `:date`
    /// with ORA-01745), is replaced by `p` and the index.
    pub fn parameter(&self, index: usize, name: &str, ty: &Type) -> String {
        match self.parameter {
            Parameter::Dollar => format!("${index}"),
            Parameter::Question => "?".to_owned(),
            Parameter::Colon => format!(":{}", self.parameter_name(index, name)),
            Parameter::At => format!("@{}", self.parameter_name(index, name)),
            Parameter::Braces => {
                format!("{{{}:Nullable({})}}", self.parameter_name(index, name), (self.type_name)(ty))
            }
        }
    }

    /// The same where no column gives the parameter its type, as in the list of a SELECT: `CAST($1 AS bigint)`.
    /// Numbered parameters alone need it, since a server that is asked to prepare them takes them for text.
    pub fn typed_parameter(&self, index: usize, name: &str, ty: &Type) -> String {
        let bare = self.parameter(index, name, ty);
        match self.parameter {
            Parameter::Dollar => format!("CAST({bare} AS {})", (self.type_name)(ty)),
            Parameter::Question | Parameter::Colon | Parameter::At | Parameter::Braces => bare,
        }
    }

    fn parameter_name(&self, index: usize, name: &str) -> String {
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && self.reserved.binary_search(&name.to_ascii_lowercase().as_str()).is_err();
        if plain { name.to_owned() } else { format!("p{index}") }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::dialect::find;

    #[test]
    fn every_style_is_written() {
        for (dialect, expected) in [
            ("postgres", "$2"),
            ("mysql", "?"),
            ("oracle", ":order_id"),
            ("bigquery", "@order_id"),
            ("clickhouse", "{order_id:Nullable(Int64)}"),
        ] {
            assert_eq!(find(dialect).unwrap().parameter(2, "order_id", &Type::BigInt), expected, "{dialect}");
        }
    }

    #[test]
    fn a_name_that_cannot_stand_becomes_its_index() {
        let oracle = find("oracle").unwrap();
        for name in ["date", "Order", "a b", "注文", "1st", ""] {
            assert_eq!(oracle.parameter(3, name, &Type::Date), ":p3", "{name}");
        }
    }

    #[test]
    fn numbered_parameters_are_given_a_type() {
        assert_eq!(find("postgres").unwrap().typed_parameter(1, "id", &Type::BigInt), "CAST($1 AS bigint)");
        assert_eq!(find("sqlserver").unwrap().typed_parameter(1, "id", &Type::BigInt), "@id");
    }
}
