//! The output formats of commands, as named by `--format` (and `-o`, `--output`).

use clap::ValueEnum;
use clap::builder::PossibleValue;

/// The encoding of data; both have the same shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    Json,
    Yaml,
}

impl Data {
    fn to_value(self) -> PossibleValue {
        match self {
            Data::Json => PossibleValue::new("json").help("For programs"),
            Data::Yaml => PossibleValue::new("yaml").help("The same, as YAML"),
        }
    }
}

/// Formats of commands whose output is for programs only.
impl ValueEnum for Data {
    fn value_variants<'a>() -> &'a [Self] {
        &[Data::Json, Data::Yaml]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(self.to_value())
    }
}

/// Formats of commands whose output is for people or programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOrData {
    Text,
    Data(Data),
}

impl ValueEnum for TextOrData {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            TextOrData::Text,
            TextOrData::Data(Data::Json),
            TextOrData::Data(Data::Yaml),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            TextOrData::Text => PossibleValue::new("text").help("For people"),
            TextOrData::Data(data) => data.to_value(),
        })
    }
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

impl ValueEnum for ValidateFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use ValidateFormat as F;
        &[
            F::Text,
            F::Data(Data::Json),
            F::Data(Data::Yaml),
            F::Opm,
            F::OpmData(Data::Json),
            F::OpmData(Data::Yaml),
            F::Github,
            F::Sarif,
            F::Junit,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            ValidateFormat::Text => {
                PossibleValue::new("text").help("For people: the source line with a caret")
            }
            ValidateFormat::Data(data) => data.to_value(),
            ValidateFormat::Opm => PossibleValue::new("opm")
                .help("The bare message that `opm validate` fails with; nothing when it passes"),
            ValidateFormat::OpmData(Data::Json) => {
                PossibleValue::new("opm-json").help("What `opm validate -o json` prints")
            }
            ValidateFormat::OpmData(Data::Yaml) => {
                PossibleValue::new("opm-yaml").help("What `opm validate -o yaml` prints")
            }
            ValidateFormat::Github => {
                PossibleValue::new("github").help("Workflow commands of GitHub Actions")
            }
            ValidateFormat::Sarif => {
                PossibleValue::new("sarif").help("A SARIF 2.1.0 log, for code scanning")
            }
            ValidateFormat::Junit => {
                PossibleValue::new("junit").help("A JUnit report: a test case for each package")
            }
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphFormat {
    Mermaid,
    OpmMermaid,
    Dot,
    Svg,
    Data(Data),
}

impl ValueEnum for GraphFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use GraphFormat as F;
        &[
            F::Mermaid,
            F::OpmMermaid,
            F::Dot,
            F::Svg,
            F::Data(Data::Json),
            F::Data(Data::Yaml),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            GraphFormat::Mermaid => PossibleValue::new("mermaid")
                .help("As `opm alpha render-graph` draws it; names that contain Mermaid syntax are escaped"),
            GraphFormat::OpmMermaid => PossibleValue::new("opm-mermaid").help("The same, with names not escaped"),
            GraphFormat::Dot => PossibleValue::new("dot").help("For Graphviz"),
            GraphFormat::Svg => PossibleValue::new("svg").help("A picture, of one package"),
            GraphFormat::Data(data) => data.to_value(),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffFormat {
    Text,
    Data(Data),
    Markdown,
}

impl ValueEnum for DiffFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use DiffFormat as F;
        &[
            F::Text,
            F::Data(Data::Json),
            F::Data(Data::Yaml),
            F::Markdown,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            DiffFormat::Text => PossibleValue::new("text").help("For people"),
            DiffFormat::Data(data) => data.to_value(),
            DiffFormat::Markdown => PossibleValue::new("markdown").help("For a pull request"),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExplainFormat {
    Text,
    Data(Data),
    Markdown,
}

impl ValueEnum for ExplainFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use ExplainFormat as F;
        &[
            F::Text,
            F::Data(Data::Json),
            F::Data(Data::Yaml),
            F::Markdown,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            ExplainFormat::Text => PossibleValue::new("text").help("For people"),
            ExplainFormat::Data(data) => data.to_value(),
            ExplainFormat::Markdown => PossibleValue::new("markdown")
                .help("All rules as a page, docs/rules.md; one rule with its examples"),
        })
    }
}
