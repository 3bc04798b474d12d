//! Prints a template like `opm`: its own fields in order, contents in canonical form.

use crate::bundle;
use crate::syntax::golang::{json_float, push_json_string};
use serde_json::Value;

const INDENT: &str = "    ";

/// The output of `-o json`.
pub fn to_json(template: &Value) -> String {
    let mut text = String::new();
    push(&mut text, template, 0);
    text.push('\n');
    text
}

/// The output of `-o yaml`, including `opm`'s empty last line.
pub fn to_yaml(template: &Value) -> String {
    let text = bundle::to_yaml(std::slice::from_ref(template));
    format!("{text}\n")
}

/// Indented JSON with escaped `<`, `>` and `&`, like `json.MarshalIndent`. The reader limits the
/// depth.
fn push(out: &mut String, value: &Value, depth: usize) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&INDENT.repeat(depth));
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            out.push('{');
            for (nth, (key, value)) in fields.iter().enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                push_json_string(out, key, true);
                out.push_str(": ");
                push(out, value, depth + 1);
            }
            line(out, depth);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (nth, item) in items.iter().enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                push(out, item, depth + 1);
            }
            line(out, depth);
            out.push(']');
        }
        Value::String(text) => push_json_string(out, text, true),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => out.push_str(&json_float(float)),
            _ => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}
