//! Findings of the pipeline's checks with our own additions, and their documentation as plain data:
//! for `switchyard explain`, the page and `docs/rules.md`. The examples are tests.

use protocol::diagnostic::Severity;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The pipeline's name of the check, `check_…`, or the name of our own addition.
    pub check: &'static str,
    pub severity: Severity,
    pub message: String,
    /// Path in the repository.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    /// The remedy; may be empty.
    pub help: String,
    /// Whether the remedy can be applied to the line.
    pub has_fix: bool,
}

impl Finding {
    pub(super) fn error(
        check: &'static str,
        file: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let (file, message) = (file.into(), message.into());
        Self {
            check,
            severity: Severity::Error,
            message,
            file,
            line: None,
            help: String::new(),
            has_fix: false,
        }
    }

    pub(super) fn warning(
        check: &'static str,
        file: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(check, file, message)
        }
    }

    pub(super) fn on_line(self, line: impl Into<Option<u32>>) -> Self {
        Self {
            line: line.into(),
            ..self
        }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: help.into(),
            ..self
        }
    }

    pub(super) fn fix(self, fix: impl Into<String>) -> Self {
        Self {
            has_fix: true,
            ..self.help(fix)
        }
    }
}

/// A problem in a repository. Everything that does not depend on it is still answered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The operator's folder name; "" for none.
    pub operator: String,
    /// Path in the repository.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    pub message: String,
    /// The remedy; may be empty.
    pub help: String,
}

impl Problem {
    pub fn new(operator: &str, file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            operator: operator.to_owned(),
            file: file.into(),
            line: None,
            message: message.into(),
            help: String::new(),
        }
    }

    pub(super) fn on_line(self, line: impl Into<Option<u32>>) -> Self {
        Self {
            line: line.into(),
            ..self
        }
    }

    pub fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: help.into(),
            ..self
        }
    }
}

/// The documentation of a class of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FindingRule {
    /// The pipeline's name of its check, or the name of our own addition.
    pub id: &'static str,
    pub severity: Severity,
    /// The problem in one sentence.
    pub summary: &'static str,
    /// Why it matters, and what the pipeline does.
    pub why: &'static str,
    pub fix: &'static str,
    /// Repository files with the problem, by path; the rest of the repository is normal.
    pub bad: &'static [(&'static str, &'static str)],
    /// The corrected files.
    pub good: &'static [(&'static str, &'static str)],
}

/// A catalog named without the `v` of its folder.
pub const CATALOG_WITHOUT_V: &str = "catalog-without-v";
/// `catalogs_names`, which the pipeline does not read.
pub const MISSPELT_CATALOG_NAMES: &str = "misspelt-catalog-names";

pub fn find(id: &str) -> Option<&'static FindingRule> {
    ALL.iter().find(|rule| rule.id == id)
}

const CI: &str = "operators/harbor/ci.yaml";
const RELEASE: &str = "operators/harbor/1.2.0/release-config.yaml";
const TEMPLATE: &str = "operators/harbor/catalog-templates/basic.yaml";
const SEMVER_RELEASE: &str = "operators/lantern/0.3.0/release-config.yaml";
const CONFIG: &str = "config.yaml";
const ANNOTATIONS: &str = "operators/harbor/1.2.0/metadata/annotations.yaml";

macro_rules! annotations {
    ($channels:literal, $default:literal) => {
        concat!(
            "annotations:\n  operators.operatorframework.io.bundle.package.v1: harbor\n  \
             operators.operatorframework.io.bundle.channels.v1: ",
            $channels,
            "\n  operators.operatorframework.io.bundle.channel.default.v1: ",
            $default,
            "\n"
        )
    };
}

macro_rules! mapping {
    ($($lines:literal),*) => {
        concat!("fbc:\n  enabled: true\n  catalog_mapping:\n", $($lines, "\n"),*)
    };
}

macro_rules! release {
    ($($lines:literal),*) => {
        concat!("catalog_templates:\n- template_name: basic.yaml\n", $("  ", $lines, "\n"),*)
    };
}

const GOOD_MAPPING: &[(&str, &str)] = &[(
    CI,
    mapping!(
        "  - template_name: basic.yaml",
        "    type: olm.template.basic",
        "    catalog_names: [v4.17, v4.18]"
    ),
)];

const GOOD_RELEASE: &[(&str, &str)] = &[(
    RELEASE,
    release!("channels: [stable]", "replaces: harbor.v1.1.0"),
)];

macro_rules! template {
    ($package:literal, $last:literal) => {
        concat!(
            "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: ",
            $package,
            "\n  defaultChannel: stable\n- schema: olm.channel\n  package: ",
            $package,
            "\n  name: stable\n  entries:\n  - name: harbor.v1.1.0\n",
            $last
        )
    };
}

/// The rules for `ci.yaml`, for `release-config.yaml`, and for the repository's configuration.
pub const ALL: &[FindingRule] = &[
    FindingRule {
        id: "check_schema_operator_ci_config",
        severity: Severity::Error,
        summary: "The `ci.yaml` of the operator does not comply with the pipeline's schema.",
        why: "The pipeline refuses the pull request before it looks at anything else.",
        fix: "Correct the value that the message names.",
        bad: &[(
            CI,
            "fbc:\n  enabled: true\n  version_promotion_strategy: sometimes\n  catalog_mapping:\n  - template_name: basic.yaml\n    type: olm.template.basic\n    catalog_names: [v4.17, v4.18]\n",
        )],
        good: &[(
            CI,
            "fbc:\n  enabled: true\n  version_promotion_strategy: always\n  catalog_mapping:\n  - template_name: basic.yaml\n    type: olm.template.basic\n    catalog_names: [v4.17, v4.18]\n",
        )],
    },
    FindingRule {
        id: "check_catalog_usage_ci_config",
        severity: Severity::Error,
        summary: "The mapping names one catalog for two templates.",
        why: "Both are rendered into the same file, so the later one would overwrite the earlier one. The pipeline refuses it.",
        fix: "Name each catalog only once, in one template.",
        bad: &[(
            CI,
            mapping!(
                "  - template_name: old.yaml",
                "    type: olm.template.basic",
                "    catalog_names: [v4.17]",
                "  - template_name: basic.yaml",
                "    type: olm.template.basic",
                "    catalog_names: [v4.17, v4.18]"
            ),
        )],
        good: &[(
            CI,
            mapping!(
                "  - template_name: old.yaml",
                "    type: olm.template.basic",
                "    catalog_names: [v4.17]",
                "  - template_name: basic.yaml",
                "    type: olm.template.basic",
                "    catalog_names: [v4.18]"
            ),
        )],
    },
    FindingRule {
        id: CATALOG_WITHOUT_V,
        severity: Severity::Warning,
        summary: "The mapping names a version without its `v`.",
        why: "The pipeline accepts it and renders a catalog under that name, which no cluster uses.",
        fix: "Write the `v` before the version.",
        bad: &[(
            CI,
            mapping!(
                "  - template_name: basic.yaml",
                "    type: olm.template.basic",
                "    catalog_names: [v4.17, \"4.18\"]"
            ),
        )],
        good: GOOD_MAPPING,
    },
    FindingRule {
        id: "catalog-missing",
        severity: Severity::Warning,
        summary: "The mapping names a catalog that the repository does not have.",
        why: "The pipeline accepts it, and the next release creates the catalog. If the name is misspelt, no cluster uses it.",
        fix: "Correct the name, or leave it if the catalog is to be created.",
        bad: &[(
            CI,
            mapping!(
                "  - template_name: basic.yaml",
                "    type: olm.template.basic",
                "    catalog_names: [v4.17, v4.81]"
            ),
        )],
        good: GOOD_MAPPING,
    },
    FindingRule {
        id: MISSPELT_CATALOG_NAMES,
        severity: Severity::Warning,
        summary: "The mapping has `catalogs_names`, which the pipeline does not read.",
        why: "The key is `catalog_names`; the pipeline's documentation misspells it. The template is rendered into no catalog.",
        fix: "Write `catalog_names`.",
        bad: &[(
            CI,
            mapping!(
                "  - template_name: basic.yaml",
                "    type: olm.template.basic",
                "    catalogs_names: [v4.17, v4.18]"
            ),
        )],
        good: GOOD_MAPPING,
    },
    FindingRule {
        id: "template-missing",
        severity: Severity::Warning,
        summary: "The mapping names a template that is not there.",
        why: "The next release creates it with only the released bundle, and renders the catalogs from that.",
        fix: "Correct the name, or add the template to `catalog-templates`.",
        bad: &[(
            CI,
            mapping!(
                "  - template_name: basics.yaml",
                "    type: olm.template.basic",
                "    catalog_names: [v4.17, v4.18]"
            ),
        )],
        good: GOOD_MAPPING,
    },
    FindingRule {
        id: "pipeline-fails",
        severity: Severity::Error,
        summary: "The pipeline crashes on this file.",
        why: "The file is not YAML, or something in it is of another kind than the pipeline assumes. The check ends without a \
              message of its own.",
        fix: "Correct the line that the message names.",
        bad: &[(CI, "fbc:\n  enabled: true\n  catalog_mapping: [\n")],
        good: GOOD_MAPPING,
    },
    FindingRule {
        id: "check_bundle_release_config",
        severity: Severity::Error,
        summary: "The `release-config.yaml` of a bundle does not agree with the operator's `ci.yaml`.",
        why: "It names a template that the mapping does not have, or a channel that a semver template cannot have, or file-based \
              catalogs are not enabled. The pipeline refuses the release.",
        fix: "Name a template of the mapping; for a semver template, the channels Candidate, Fast and Stable.",
        bad: &[(
            RELEASE,
            "catalog_templates:\n- template_name: basics.yaml\n  channels: [stable]\n  replaces: harbor.v1.1.0\n",
        )],
        good: GOOD_RELEASE,
    },
    FindingRule {
        id: "check_validate_schema_bundle_release_config",
        severity: Severity::Error,
        summary: "The `release-config.yaml` of a bundle does not comply with the pipeline's schema.",
        why: "The pipeline refuses the pull request.",
        fix: "Correct the value that the message names.",
        bad: &[(
            RELEASE,
            release!("channels: [stable]", "replaces: [harbor.v1.1.0]"),
        )],
        good: GOOD_RELEASE,
    },
    FindingRule {
        id: "release-config-unread",
        severity: Severity::Warning,
        summary: "A `release-config.yaml` lies where the pipeline does not read it.",
        why: "The bundle is merged, and reaches no catalog. The pipeline says nothing.",
        fix: "Move the file into the bundle's folder, under the name `release-config.yaml`.",
        bad: &[(
            "operators/harbor/release-config.yaml",
            release!("channels: [stable]", "replaces: harbor.v1.1.0"),
        )],
        good: GOOD_RELEASE,
    },
    FindingRule {
        id: "entry-twice",
        severity: Severity::Warning,
        summary: "The channel already lists the bundle with other edges.",
        why: "The pipeline adds a second entry of the same name, and `opm` refuses or merges the catalog that is rendered.",
        fix: "Remove the entry from the template first, or give the same edges.",
        bad: &[
            (
                RELEASE,
                release!("channels: [stable]", "replaces: harbor.v1.1.0"),
            ),
            (TEMPLATE, template!("harbor", "  - name: harbor.v1.2.0\n")),
        ],
        good: &[
            (
                RELEASE,
                release!("channels: [stable]", "replaces: harbor.v1.1.0"),
            ),
            (TEMPLATE, template!("harbor", "")),
        ],
    },
    FindingRule {
        id: "replaced-entry-missing",
        severity: Severity::Warning,
        summary: "`replaces` names an entry that the channel does not list.",
        why: "The pipeline writes it into the template all the same. Users of earlier versions may get no update to the bundle.",
        fix: "Name an entry of the channel.",
        bad: &[(
            RELEASE,
            release!("channels: [stable]", "replaces: harbor.v1.0.9"),
        )],
        good: GOOD_RELEASE,
    },
    FindingRule {
        id: "default-channel-kept",
        severity: Severity::Warning,
        summary: "`defaultChannel` has no effect.",
        why: "The pipeline uses it only for a template that it creates; the default channel of a package that is there stays.",
        fix: "Leave it out, and change the default channel in the template.",
        bad: &[(
            RELEASE,
            release!(
                "channels: [stable, fast]",
                "replaces: harbor.v1.1.0",
                "defaultChannel: fast"
            ),
        )],
        good: &[(
            RELEASE,
            release!("channels: [stable, fast]", "replaces: harbor.v1.1.0"),
        )],
    },
    FindingRule {
        id: "channel-new",
        severity: Severity::Warning,
        summary: "The channel is new, and its name is close to that of another one.",
        why: "The pipeline creates a channel for it. If the name is misspelt, users of the channel that was meant get no update.",
        fix: "Correct the name, or leave it if the channel is meant.",
        bad: &[(RELEASE, release!("channels: [stabel]"))],
        good: GOOD_RELEASE,
    },
    FindingRule {
        id: "channel-of-another-package",
        severity: Severity::Warning,
        summary: "A new channel gets another package than the template has.",
        why: "The pipeline names the package of a new channel after the operator's folder.",
        fix: "Use a channel of the template, or correct the package in the template afterwards.",
        bad: &[
            (RELEASE, release!("channels: [candidate]")),
            (TEMPLATE, template!("harbor-operator", "")),
        ],
        good: &[
            (
                RELEASE,
                release!("channels: [stable]", "replaces: harbor.v1.1.0"),
            ),
            (TEMPLATE, template!("harbor-operator", "")),
        ],
    },
    FindingRule {
        id: "default-channel-not-own",
        severity: Severity::Error,
        summary: "The default channel in the bundle's annotations is not one of its channels.",
        why: "Before a bundle is merged, the pipeline builds a catalog that has only this bundle, in a channel of \
            `operators.operatorframework.io.bundle.channels.v1`. Its default channel is that of \
            `operators.operatorframework.io.bundle.channel.default.v1`, and `opm` refuses a default channel without entries.",
        fix: "Name one of the bundle's own channels; the package keeps the default channel that its template has.",
        bad: &[(ANNOTATIONS, annotations!("stable-1.2", "stable-2.0"))],
        good: &[(ANNOTATIONS, annotations!("stable-1.2", "stable-1.2"))],
    },
    FindingRule {
        id: "default-channel-by-chance",
        severity: Severity::Warning,
        summary: "The bundle's annotations name a default channel and several channels.",
        why: "Before a bundle is merged, the pipeline builds a catalog that has the bundle in only one of the channels, in no \
            fixed order. If that is not the default channel, the catalog cannot be built.",
        fix: "Name only the default channel in the annotations; `release-config.yaml` says where the bundle goes.",
        bad: &[(ANNOTATIONS, annotations!("alpha,stable", "stable"))],
        good: &[(ANNOTATIONS, annotations!("stable", "stable"))],
    },
    FindingRule {
        id: "edges-not-used",
        severity: Severity::Warning,
        summary: "`replaces`, `skips` or `skipRange` are given for a semver template.",
        why: "A semver template generates its own edges, so the pipeline does not use these.",
        fix: "Leave them out, or use a basic template.",
        bad: &[(
            SEMVER_RELEASE,
            "catalog_templates:\n- template_name: semver.yaml\n  channels: [Stable]\n  replaces: lantern.v0.2.0\n",
        )],
        good: &[(
            SEMVER_RELEASE,
            "catalog_templates:\n- template_name: semver.yaml\n  channels: [Stable]\n",
        )],
    },
    FindingRule {
        id: "config-unreadable",
        severity: Severity::Error,
        summary: "The `config.yaml` of the repository cannot be read.",
        why: "The pipeline cannot tell which checks it leaves out for an operator.",
        fix: "Correct the line that the message names.",
        bad: &[(CONFIG, "tests: [\n")],
        good: &[(CONFIG, "tests: []\n")],
    },
    FindingRule {
        id: "config-pattern",
        severity: Severity::Warning,
        summary: "A pattern of `ignore_operators` is not a regular expression.",
        why: "It matches no operator, so the check is made for all of them.",
        fix: "Correct the pattern.",
        bad: &[(
            CONFIG,
            "tests:\n- name: check_required_fields\n  ignore_operators: [\"lantern(\"]\n",
        )],
        good: &[(
            CONFIG,
            "tests:\n- name: check_required_fields\n  ignore_operators: [\"lantern.*\"]\n",
        )],
    },
];
