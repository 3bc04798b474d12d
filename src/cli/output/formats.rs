//! The output formats of commands, as named by `--format` (and `-o`, `--output`).

use clap::ValueEnum;
use clap::builder::PossibleValue;

/// Makes an enum the value of an option: its variants in order, each with its name and help.
macro_rules! values {
    ($type:ident: $($variant:ident$(($of:path))? = $name:literal, $help:expr;)+) => {
        impl ValueEnum for $type {
            fn value_variants<'a>() -> &'a [Self] {
                &[$(Self::$variant$(($of))?),+]
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                Some(match self {
                    $(Self::$variant$(($of))? => PossibleValue::new($name).help($help),)+
                })
            }
        }
    };
}

const TEXT: &str = "For people";
const JSON: &str = "For programs";
const YAML: &str = "The same, as YAML";

/// The encodings of data, which have the same shape. Commands whose output is for programs only
/// have no other formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    Json,
    Yaml,
}

values! { Data:
    Json = "json", JSON;
    Yaml = "yaml", YAML;
}

/// Formats of commands whose output is for people or programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOrData {
    Text,
    Data(Data),
}

values! { TextOrData:
    Text = "text", TEXT;
    Data(Data::Json) = "json", JSON;
    Data(Data::Yaml) = "yaml", YAML;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValidateFormat {
    Text,
    Data(Data),
    Opm,
    /// As printed by `opm validate -o`.
    OpmData(Data),
    Github,
    Sarif,
    Junit,
}

values! { ValidateFormat:
    Text = "text", "For people: the source line with a caret";
    Data(Data::Json) = "json", JSON;
    Data(Data::Yaml) = "yaml", YAML;
    Opm = "opm", "The bare message that `opm validate` fails with; nothing when it passes";
    OpmData(Data::Json) = "opm-json", "What `opm validate -o json` prints";
    OpmData(Data::Yaml) = "opm-yaml", "What `opm validate -o yaml` prints";
    Github = "github", "Workflow commands of GitHub Actions";
    Sarif = "sarif", "A SARIF 2.1.0 log, for code scanning";
    Junit = "junit", "A JUnit report: a test case for each package";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphFormat {
    Mermaid,
    OpmMermaid,
    Dot,
    Svg,
    Data(Data),
}

values! { GraphFormat:
    Mermaid = "mermaid", "As `opm alpha render-graph` draws it; names that contain Mermaid syntax are escaped";
    OpmMermaid = "opm-mermaid", "The same, with names not escaped";
    Dot = "dot", "For Graphviz";
    Svg = "svg", "A picture, of one package";
    Data(Data::Json) = "json", JSON;
    Data(Data::Yaml) = "yaml", YAML;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffFormat {
    Text,
    Data(Data),
    Markdown,
}

values! { DiffFormat:
    Text = "text", TEXT;
    Data(Data::Json) = "json", JSON;
    Data(Data::Yaml) = "yaml", YAML;
    Markdown = "markdown", "For a pull request";
}
