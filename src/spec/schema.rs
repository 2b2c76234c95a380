//! The JSON Schema of the spec, made from the same keys that read it, so that an editor completes and checks a spec.

use serde_json::{Map, Value, json};

use crate::spec::batch::BATCH;
use crate::spec::column::COLUMN;
use crate::spec::file::SPEC;
use crate::spec::partition::PARTITION;
use crate::spec::read::Choices;
use crate::spec::table::{OVERRIDE, TABLE};
use crate::spec::vocabulary::Vocabulary;
use crate::spec::window::{INCREMENTAL, PARAMETER};

/// The JSON Schema (draft 2020-12) of a spec file.
pub fn schema() -> Value {
    let mut schema = object(&SPEC);
    if let Value::Object(schema) = &mut schema {
        schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("title".to_owned(), "idemsql table spec".into());
        // A key that a table needs may stand in `defaults`, and one that a column needs in another layer: only a name
        // is always the table's or the column's own.
        let definitions = json!({
            "table": needing(&["name"], object(&TABLE)),
            "defaults": needing(&[], object(&TABLE)),
            "override": needing(&[], object(&OVERRIDE)),
            "column": needing(&["name"], object(&COLUMN)),
        });
        schema.insert("$defs".to_owned(), definitions);
    }
    schema
}

/// The schema of a mapping with a vocabulary.
pub(super) fn object<T>(words: &Vocabulary<T>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in words.keys {
        let mut schema = (key.schema)();
        if let Value::Object(schema) = &mut schema {
            let doc = match schema.get("description") {
                Some(Value::String(more)) => format!("{} {more}", sentence(key.doc)),
                _ => sentence(key.doc),
            };
            schema.insert("description".to_owned(), doc.into());
        }
        properties.insert(key.name.to_owned(), schema);
        if key.needed.is_some() {
            required.push(key.name);
        }
    }
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}

/// A documentation text as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// The schema of a mapping with other keys that it must have.
fn needing(keys: &[&str], mut object: Value) -> Value {
    if let Value::Object(schema) = &mut object {
        schema.insert("required".to_owned(), json!(keys));
    }
    object
}

/// A reference to a definition at the end of the schema.
fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

pub(super) fn text() -> Value {
    json!({"type": "string", "minLength": 1})
}

pub(super) fn flag() -> Value {
    json!({"type": "boolean"})
}

pub(super) fn only_true() -> Value {
    json!({"const": true})
}

pub(super) fn version() -> Value {
    json!({"const": 1})
}

pub(super) fn expression() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

pub(super) fn scalar() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

pub(super) fn overlap() -> Value {
    json!({"type": ["string", "integer"], "examples": ["1 day", "3 hours", "15 minutes"]})
}

pub(super) fn texts() -> Value {
    json!({"oneOf": [text(), {"type": "array", "items": text(), "minItems": 1}]})
}

pub(super) fn names() -> Value {
    json!({"oneOf": [text(), {"type": "array", "items": text(), "minItems": 1, "uniqueItems": true}]})
}

pub(super) fn rows() -> Value {
    json!({"type": "array", "minItems": 1, "items": {"type": ["object", "array"]}})
}

pub(super) fn type_of_column() -> Value {
    json!({"oneOf": [text(), {"type": "object", "additionalProperties": text(), "minProperties": 1}]})
}

pub(super) fn columns() -> Value {
    json!({"type": "array", "minItems": 1, "items": reference("column")})
}

pub(super) fn tables() -> Value {
    json!({"type": "array", "minItems": 1, "items": reference("table")})
}

pub(super) fn defaults() -> Value {
    reference("defaults")
}

pub(super) fn overrides() -> Value {
    json!({"type": "object", "additionalProperties": reference("override")})
}

pub(super) fn bound() -> Value {
    json!({"oneOf": [scalar(), object(&PARAMETER)]})
}

/// A mapping whose keys are the user's.
pub(super) fn any_mapping() -> Value {
    json!({"type": "object"})
}

/// A plain name, or a mapping with a vocabulary.
pub(super) fn name_or_incremental() -> Value {
    json!({"oneOf": [text(), object(&INCREMENTAL)]})
}

/// A plain name, or a mapping with another vocabulary.
pub(super) fn name_or_partition() -> Value {
    json!({"oneOf": [text(), object(&PARTITION)]})
}

/// A plain name, or a mapping with a third vocabulary.
pub(super) fn name_or_batch() -> Value {
    json!({"oneOf": [text(), object(&BATCH)]})
}

/// One word of a few, each of which is explained.
pub(super) fn choice<T>(choices: Choices<T>) -> Value {
    let words: Vec<&str> = choices.iter().map(|(word, ..)| *word).collect();
    let docs: Vec<String> = choices.iter().map(|(word, doc, _)| format!("`{word}`: {doc}.")).collect();
    json!({"enum": words, "description": docs.join(" ")})
}

/// One or more words of a few, each of which is explained.
pub(super) fn some_of<T>(choices: Choices<T>) -> Value {
    let mut one = choice(choices);
    let description = one.as_object_mut().and_then(|one| one.remove("description"));
    let list = json!({"type": "array", "items": one, "minItems": 1, "uniqueItems": true});
    json!({"oneOf": [one, list], "description": description})
}
