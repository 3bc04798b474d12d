//! `switchyard edit`: the arguments of operations. Each becomes an [`EditOp`] without side effects.

use super::options::{
    BundlesArgs, OnePackage, OperationInputs, Packages, PromoteAsArg, ThenArg, choice, or_none,
};
use super::package::{ChannelOperation, PackageOperation};
use crate::error::CliError;
use crate::output::formats::TextOrData;
use clap::{Args, Subcommand};
use protocol::operation::{EditOp, EntryPlace};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = false, after_help = all_examples())]
pub(crate) struct EditArgs {
    /// The catalog's folder, or a file: a template, or a catalog of one file
    ///
    /// A template is edited where it can express the operation: the entries of a basic template,
    /// the lists of a semver template. With --bundles, the diff of the rendered catalog is printed
    /// on standard error. A catalog that was rendered from a template in a nearby folder can be
    /// edited, with a warning: the next render will overwrite the edit.
    pub dir: PathBuf,
    #[command(subcommand)]
    pub operation: Option<Operation>,
    /// Write the files; without it the patch is printed
    ///
    /// All files or none: all new files are first written in full outside of the catalog, then
    /// moved into place. Owner and permissions stay, links are followed, and read-only files are
    /// refused. A file that another program changed meanwhile is not overwritten. A run that is
    /// killed (SIGKILL) may leave some files new and others old, each complete, and a folder
    /// `.switchyard-…` with the old files.
    #[arg(long, global = true)]
    pub write: bool,
    /// Do nothing if a catalog would fail opm validate after the edit: no file, no patch, exit
    /// status 1
    #[arg(long, global = true)]
    pub require_pass: bool,
    /// Print the patch (the default)
    ///
    /// Its paths start at the top of the git repository that contains DIR, so that `git apply`
    /// takes it. Without a repository, they start at the current folder, or at DIR if that is
    /// elsewhere.
    #[arg(long, global = true, conflicts_with = "write")]
    pub patch: bool,
    /// Apply the same edit to this catalog too; all catalogs are edited or none; repeatable
    #[arg(long, global = true, value_name = "DIR2")]
    pub also_in: Vec<PathBuf>,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// Output format; `text` prints the patch
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = TextOrData::Text, global = true)]
    pub format: TextOrData,
    /// Read operations as JSON lines from standard input; all are applied or none. One with a
    /// `catalog` is applied to the folder whose path ends with that name, any other to every folder
    #[arg(long)]
    pub stdin: bool,
}

/// A channel's entry, in one channel or several.
#[derive(Debug, Args)]
pub(crate) struct EntryArgs {
    #[command(flatten)]
    package: OnePackage,
    /// The channel that lists the entry; repeatable
    #[arg(long, value_name = "C", required = true)]
    channel: Vec<String>,
    /// The entry
    #[arg(long, value_name = "ENTRY")]
    name: String,
}

/// Entries to skip, by name or by version.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct SkipArgs {
    /// Names; they need not be in the channel
    #[arg(long, value_name = "NAME", num_args = 1..)]
    skip: Vec<String>,
    /// All with a version in this range (as in skipRange) or in this y-stream (such as 1.29.z)
    #[arg(long, value_name = "RANGE")]
    skip_matching: Option<String>,
}

/// What to deprecate: the package, or a channel or bundle of it.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    #[command(flatten)]
    packages: Packages,
    /// The channel; repeatable
    #[arg(long, value_name = "C", conflicts_with = "bundle")]
    channel: Vec<String>,
    /// The bundle; repeatable
    #[arg(long, value_name = "NAME")]
    bundle: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Operation {
    /// Promote a bundle to another channel
    ///
    /// If its version is the highest in the channel, it becomes the head and replaces the current
    /// one. Otherwise it goes into the chain: it replaces the highest lower entry, and the entry
    /// that replaced that one now replaces it.
    Promote {
        #[command(flatten)]
        package: OnePackage,
        /// The bundle; repeatable, added in the given order
        #[arg(long, value_name = "NAME", required = true)]
        bundle: Vec<String>,
        /// The channel to add it to; repeatable
        #[arg(long, value_name = "C", required = true)]
        to: Vec<String>,
        /// Where to put it; by default its version decides
        #[arg(long = "as", value_enum)]
        how: Option<PromoteAsArg>,
        /// The entry it replaces; by default it follows from --as
        #[arg(long, value_name = "NAME|none")]
        replaces: Option<String>,
        /// Its skipRange; by default copied from its other channels, if they all have the same
        #[arg(long, value_name = "R|none")]
        skip_range: Option<String>,
    },
    /// Skip a bad bundle, and re-point what replaced it
    Withdraw {
        #[command(flatten)]
        package: OnePackage,
        /// The bad bundle; repeatable
        #[arg(long, value_name = "NAME", required = true)]
        bundle: Vec<String>,
        /// The entry that skips it; by default the next higher one
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
        /// Only in this channel; repeatable
        #[arg(long, value_name = "C")]
        channel: Vec<String>,
    },
    /// Set the package's default channel
    SetDefaultChannel {
        #[command(flatten)]
        packages: Packages,
        /// The new default channel
        #[arg(long, value_name = "C")]
        channel: String,
    },
    /// Set what an entry replaces; the replaced name need not be in the channel
    SetReplaces {
        #[command(flatten)]
        entry: EntryArgs,
        /// What it replaces, or none
        #[arg(long, value_name = "NAME|none")]
        replaces: String,
    },
    /// Add names to an entry's skips
    ///
    /// --skip-matching adds every lower entry of the channel whose version is in the range. If the
    /// entry replaced one of them, it now replaces what that one replaced, so that lower versions
    /// can still upgrade.
    AddSkip {
        #[command(flatten)]
        entry: EntryArgs,
        #[command(flatten)]
        skips: SkipArgs,
    },
    /// Remove names from an entry's skips
    RemoveSkip {
        #[command(flatten)]
        entry: EntryArgs,
        #[command(flatten)]
        skips: SkipArgs,
    },
    /// Set the skipRange of an entry
    SetSkipRange {
        #[command(flatten)]
        entry: EntryArgs,
        /// The range, such as '>=1.0.0 <1.2.0', or none
        #[arg(long, value_name = "RANGE|none")]
        skip_range: String,
    },
    /// Remove an entry from a channel
    RemoveEntry {
        #[command(flatten)]
        entry: EntryArgs,
        /// What happens to edges that name it
        #[arg(long, value_enum, default_value_t = ThenArg::Relink)]
        then: ThenArg,
    },
    /// Deprecate a package, a channel or a bundle, or change the message
    Deprecate {
        #[command(flatten)]
        scope: ScopeArgs,
        /// The message that users see
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        message: String,
    },
    /// Remove a deprecation
    Undeprecate {
        #[command(flatten)]
        scope: ScopeArgs,
    },
    #[command(flatten)]
    Channel(ChannelOperation),
    #[command(flatten)]
    Package(PackageOperation),
    /// Replace text of a file
    ReplaceText {
        /// The file, relative to DIR; created if missing
        #[arg(long, value_name = "F")]
        file: String,
        /// Where the text is: lines and columns count from 1, in characters; the end is exclusive
        #[arg(long, value_name = "LINE:COLUMN-LINE:COLUMN")]
        at: String,
        /// The new text
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
        /// The text that must be there now; by default any
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        before: Option<String>,
    },
}

impl EntryArgs {
    /// Creates one operation on the entry per channel.
    fn each(
        self,
        inputs: &dyn OperationInputs,
        op: impl Fn(EntryPlace) -> EditOp,
    ) -> Result<Vec<EditOp>, CliError> {
        let package = self.package.name(inputs)?;
        let channels = self.channel.iter();
        Ok(channels
            .map(|channel| op(EntryPlace::new(&package, channel, &self.name)))
            .collect())
    }
}

impl ScopeArgs {
    /// Creates one operation per package, or per channel or bundle in each package. Without a
    /// message, they remove deprecations.
    fn each(
        self,
        inputs: &dyn OperationInputs,
        message: Option<String>,
    ) -> Result<Vec<EditOp>, CliError> {
        let mut ops = Vec::new();
        for package in self.packages.names(inputs)? {
            let deprecation = |channel: Option<&String>, bundle: Option<&String>| {
                EditOp::set_deprecation(
                    &package,
                    channel.cloned(),
                    bundle.cloned(),
                    message.clone(),
                )
            };
            match (self.channel.as_slice(), self.bundle.as_slice()) {
                ([], []) => ops.push(deprecation(None, None)),
                ([], bundles) => {
                    ops.extend(bundles.iter().map(|name| deprecation(None, Some(name))))
                }
                (channels, _) => {
                    ops.extend(channels.iter().map(|name| deprecation(Some(name), None)))
                }
            }
        }
        Ok(ops)
    }
}

impl Operation {
    /// Converts the arguments to operations: one for each bundle, channel and package.
    pub fn into_ops(self, inputs: &dyn OperationInputs) -> Result<Vec<EditOp>, CliError> {
        match self {
            Operation::Promote {
                package,
                bundle,
                to,
                how,
                replaces,
                skip_range,
            } => {
                let package = package.name(inputs)?;
                let (replaces, skip_range) = (choice(replaces), choice(skip_range));
                let mut ops = Vec::new();
                for to in &to {
                    ops.extend(bundle.iter().map(|bundle| EditOp::Promote {
                        catalog: None,
                        package: package.clone(),
                        bundle: bundle.clone(),
                        to: to.clone(),
                        how: how.map(Into::into),
                        replaces: replaces.clone(),
                        skip_range: skip_range.clone(),
                    }));
                }
                Ok(ops)
            }
            Operation::Withdraw {
                package,
                bundle,
                by,
                channel,
            } => {
                let package = package.name(inputs)?;
                let withdrawals = bundle.into_iter().map(|bundle| EditOp::Withdraw {
                    catalog: None,
                    package: package.clone(),
                    bundle,
                    by: by.clone(),
                    channel: channel.clone(),
                });
                Ok(withdrawals.collect())
            }
            Operation::SetDefaultChannel { packages, channel } => packages
                .each(inputs, |package| {
                    EditOp::set_default_channel(package, &channel)
                }),
            Operation::SetReplaces { entry, replaces } => {
                let replaces = or_none(replaces);
                entry.each(inputs, |entry| entry.set_replaces(replaces.clone()))
            }
            Operation::AddSkip { entry, skips } => entry.each(inputs, |entry| {
                entry.add_skips(skips.skip.clone(), skips.skip_matching.clone())
            }),
            Operation::RemoveSkip { entry, skips } => entry.each(inputs, |entry| {
                entry.remove_skips(skips.skip.clone(), skips.skip_matching.clone())
            }),
            Operation::SetSkipRange { entry, skip_range } => {
                let skip_range = or_none(skip_range);
                entry.each(inputs, |entry| entry.set_skip_range(skip_range.clone()))
            }
            Operation::RemoveEntry { entry, then } => {
                entry.each(inputs, |entry| entry.remove(then.into()))
            }
            Operation::Deprecate { scope, message } => scope.each(inputs, Some(message)),
            Operation::Undeprecate { scope } => scope.each(inputs, None),
            Operation::Channel(operation) => operation.into_ops(inputs),
            Operation::Package(operation) => operation.into_ops(inputs),
            Operation::ReplaceText {
                file,
                at,
                text,
                before,
            } => {
                let before = match before {
                    Some(before) => before,
                    None => inputs.text_at(&file, &at)?,
                };
                Ok(vec![EditOp::ReplaceText {
                    catalog: None,
                    file,
                    at,
                    before,
                    text,
                    around: None,
                }])
            }
        }
    }
}

/// The arguments after `switchyard edit DIR`, in shell syntax.
const EXAMPLES: [&str; 28] = [
    "promote --package p --bundle p.v1.2.0 --to stable",
    "withdraw --package p --bundle p.v1.1.0 --by p.v1.2.0",
    "set-default-channel --package p --channel stable",
    "set-replaces --package p --channel stable --name p.v1.2.0 --replaces p.v1.0.0",
    "add-skip --package p --channel stable --name p.v1.2.0 --skip-matching 1.1.z",
    "remove-skip --package p --channel stable --name p.v1.2.0 --skip p.v1.1.0",
    "set-skip-range --package p --channel stable --name p.v1.2.0 --skip-range '>=1.0.0 <1.2.0'",
    "remove-entry --package p --channel stable --name p.v1.1.0 --then skip",
    "deprecate --package p --bundle p.v1.0.0 --message 'no longer supported, use 1.2'",
    "undeprecate --package p --bundle p.v1.0.0",
    "rebuild-edges --package p --channel stable --rule skip-patch",
    "add-channel --package p --channel fast --from stable",
    "rename-channel --package p --channel fast --to candidate",
    "remove-channel --package p --channel candidate",
    "remove-bundle --package p --bundle p.v1.0.0",
    "set-description --package p --text 'Keeps ships where they are.'",
    "set-icon --package p --file p.svg",
    "add-bundle --package p --bundle p.v1.3.0 --version 1.3.0 --image quay.io/p/p:v1.3.0 --to stable",
    "add-package --package p --default-channel stable --icon p.svg",
    "remove-package --package p",
    "copy-package --package p --from ../v4.20",
    "set-image --package p --bundle p.v1.2.0 --image quay.io/p/p:v1.2.0-1",
    "substitute --package p --bundle p.v1.2.0 --by p.v1.2.1 --image quay.io/p/p:v1.2.1 --skip-old",
    "rename-bundle --package p --bundle p.v1.2.0-1 --to p-v1.2.0-1 --skip-old",
    "add-property --package p --where 'version >=1.2.0' --type olm.maxOpenShiftVersion --value '\"4.20\"'",
    "remove-property --package p --bundle p.v1.2.0 --type olm.maxOpenShiftVersion",
    "migrate --package p",
    "replace-text --file p/catalog.yaml --at 4:17-4:23 --before stable --text fast",
];

/// Formats the end of `switchyard edit --help`.
fn all_examples() -> String {
    let mut text =
        "Examples, one for each operation; each prints a patch, or writes the files with --write:\n".to_owned();
    for example in EXAMPLES {
        text.push_str(&format!("  {}\n", command_line(example)));
    }
    text.push_str(
        "\nSeveral at once, all or none, as JSON lines, which is how the page copies operations:\n  \
         switchyard edit DIR --stdin --write < operations.jsonl\n  \
         {\"op\":\"set-default-channel\",\"package\":\"p\",\"channel\":\"stable\"}",
    );
    text
}

/// Adds its example to each operation of `edit`.
pub(crate) fn with_examples(edit: clap::Command) -> clap::Command {
    edit.mut_subcommands(|operation| {
        let example = EXAMPLES
            .iter()
            .find(|example| example.split(' ').next() == Some(operation.get_name()));
        match example {
            Some(example) => operation.after_help(format!("Example:\n  {}", command_line(example))),
            None => operation,
        }
    })
}

fn command_line(example: &str) -> String {
    format!("switchyard edit DIR {example}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use ::edit::command_line::to_arguments;
    use clap::{CommandFactory, FromArgMatches, Parser};
    use protocol::operation::{Choice, DanglingEdges, EdgeRule, IfExists, PromoteAs};
    use std::path::Path;

    /// Parses the arguments of `switchyard edit DIR` from the operation's name on, as written by
    /// *Copy as commands*.
    fn operation_from_words(args: &[String]) -> Result<EditOp, String> {
        #[derive(Parser)]
        struct OperationArgs {
            #[command(subcommand)]
            operation: Operation,
        }
        let command_line = std::iter::once("edit".to_owned()).chain(args.iter().cloned());
        let command = <OperationArgs as clap::CommandFactory>::command();
        let matches = command
            .try_get_matches_from(command_line)
            .map_err(|e| e.to_string())?;
        let parsed = OperationArgs::from_arg_matches(&matches).map_err(|e| e.to_string())?;
        let mut ops = parsed
            .operation
            .into_ops(&NoInputs)
            .map_err(|e| e.message())?;
        match (ops.pop(), ops.len()) {
            (Some(op), 0) => Ok(op),
            (_, more) => Err(format!("these are {} operations", more + 1)),
        }
    }

    /// Inputs for arguments that must be complete by themselves.
    struct NoInputs;

    impl OperationInputs for NoInputs {
        fn only_package(&self) -> Result<String, CliError> {
            Err(CliError::new("no package is given"))
        }

        fn is_semver_template(&self) -> bool {
            false
        }

        fn text_at(&self, file: &str, _at: &str) -> Result<String, CliError> {
            Err(cli_error!("the text to replace in `{file}` is not given"))
        }

        fn read_icon(&self, file: &Path) -> Result<String, CliError> {
            Err(cli_error!("`{}` is not read here", file.display()))
        }

        fn read_text(&self, file: &Path) -> Result<String, CliError> {
            self.read_icon(file)
        }

        fn read_bundles(
            &self,
            reference: &Path,
            _image: Option<&str>,
        ) -> Result<Vec<serde_json::Value>, CliError> {
            self.read_icon(reference).map(|_| Vec::new())
        }
    }

    #[test]
    fn copied_commands_are_read_back_as_the_same_operation() {
        let text = |s: &str| s.to_owned();
        let (package, channel, name) = (text("p"), text("stable"), text("p.v1.0.0"));
        let entry = || (package.clone(), channel.clone(), name.clone());
        let mut ops = vec![
            EditOp::SetDefaultChannel {
                catalog: None,
                package: package.clone(),
                channel: channel.clone(),
            },
            EditOp::Withdraw {
                catalog: None,
                package: package.clone(),
                bundle: name.clone(),
                by: Some(text("p.v1.1.0")),
                channel: vec![text("a"), text("-b")],
            },
            EditOp::Deprecate {
                catalog: None,
                package: package.clone(),
                channel: None,
                bundle: Some(name.clone()),
                message: text("- it's\nold"),
            },
            EditOp::Undeprecate {
                catalog: None,
                package: package.clone(),
                channel: Some(channel.clone()),
                bundle: None,
            },
            EditOp::SetDescription {
                catalog: None,
                package: package.clone(),
                text: text("- it's\nold"),
            },
            EditOp::SetIcon {
                catalog: None,
                package: package.clone(),
                data: None,
            },
            EditOp::ReplaceText {
                catalog: None,
                file: text("a b.yaml"),
                at: text("1:1-2:1"),
                before: text(""),
                text: text("--x\n"),
                around: None,
            },
        ];
        for value in [None, Some(text(">=1.0.0 <2.0.0")), Some(text("-1"))] {
            let (package, channel, name) = entry();
            ops.push(EditOp::SetReplaces {
                catalog: None,
                package,
                channel,
                name,
                replaces: value.clone(),
            });
            let (package, channel, name) = entry();
            ops.push(EditOp::SetSkipRange {
                catalog: None,
                package,
                channel,
                name,
                skip_range: value.clone(),
            });
            let (package, channel, name) = entry();
            let skip = vec![text("x"), value.clone().unwrap_or(text("y"))];
            let skip_matching = value.clone();
            ops.push(EditOp::AddSkip {
                catalog: None,
                package,
                channel,
                name,
                skip: skip.clone(),
                skip_matching,
            });
            let (package, channel, name) = entry();
            ops.push(EditOp::RemoveSkip {
                catalog: None,
                package,
                channel,
                name,
                skip,
                skip_matching: value.clone(),
            });
            let (package, channel, _) = entry();
            ops.push(EditOp::AddChannel {
                catalog: None,
                package,
                channel,
                from: value,
            });
        }
        ops.push(EditOp::AddSkip {
            catalog: None,
            package: package.clone(),
            channel: channel.clone(),
            name: name.clone(),
            skip: Vec::new(),
            skip_matching: Some(text("1.29.z")),
        });
        ops.push(EditOp::RenameChannel {
            catalog: None,
            package: package.clone(),
            channel: channel.clone(),
            to: name.clone(),
        });
        ops.push(EditOp::RemoveChannel {
            catalog: None,
            package: package.clone(),
            channel: channel.clone(),
        });
        for rule in [
            EdgeRule::Replaces,
            EdgeRule::SkipPatch,
            EdgeRule::ZStream,
            EdgeRule::SkipRange,
        ] {
            let (package, channel, _) = entry();
            ops.push(EditOp::RebuildEdges {
                catalog: None,
                package,
                channel,
                rule,
            });
        }
        for (bundle, condition) in [
            (Some(name.clone()), None),
            (None, Some(text("not has olm.gvk and name~'-x y'"))),
        ] {
            let target = || (None, package.clone(), bundle.clone(), condition.clone());
            let (catalog, package, bundle, condition) = target();
            ops.push(EditOp::SetImage {
                catalog,
                package,
                bundle,
                condition,
                image: text("quay.io/p/p:v1"),
            });
            for value in ["{\"b\":[1,null],\"a\":\"it's\"}", "-1", "null", "\"4.18\""] {
                let value: serde_json::Value = serde_json::from_str(value).expect("JSON");
                let (catalog, package, bundle, condition) = target();
                ops.push(EditOp::AddProperty {
                    catalog,
                    package,
                    bundle,
                    condition,
                    kind: text("t"),
                    value: value.clone(),
                });
                let (catalog, package, bundle, condition) = target();
                let value = Some(value);
                ops.push(EditOp::RemoveProperty {
                    catalog,
                    package,
                    bundle,
                    condition,
                    kind: text("t"),
                    value,
                });
            }
            let (catalog, package, bundle, condition) = target();
            ops.push(EditOp::RemoveProperty {
                catalog,
                package,
                bundle,
                condition,
                kind: text("-t"),
                value: None,
            });
        }
        for if_there in [IfExists::Refuse, IfExists::Replace] {
            let (package, from, files) = (package.clone(), text("../old catalog"), Vec::new());
            ops.push(EditOp::CopyPackage {
                catalog: None,
                package,
                from,
                files,
                if_there,
            });
        }
        for to in [None, Some(channel.clone())] {
            let (version, image) = (text("1.0.0-rc.1"), text("a/b"));
            let (package, bundle) = (package.clone(), name.clone());
            let release = to.as_ref().map(|_| text("1.a"));
            ops.push(EditOp::AddBundle {
                catalog: None,
                package,
                bundle,
                version,
                release,
                image,
                to,
                how: None,
                replaces: Choice::Default,
                skip_range: Choice::Default,
                skips: Vec::new(),
                blob: None,
            });
            ops.push(EditOp::AddPackage {
                catalog: None,
                package: name.clone(),
                default_channel: text("stable"),
                description: None,
                icon: None,
                file: ops.len().is_multiple_of(2).then(|| text("p/catalog.json")),
            });
            ops.push(EditOp::RemovePackage {
                catalog: None,
                package: name.clone(),
            });
            ops.push(EditOp::Migrate {
                catalog: None,
                package: Some(name.clone()),
            });
        }
        for then in [
            DanglingEdges::Relink,
            DanglingEdges::Skip,
            DanglingEdges::Leave,
        ] {
            let (package, channel, name) = entry();
            ops.push(EditOp::RemoveEntry {
                catalog: None,
                package,
                channel,
                name,
                then,
            });
            let (package, _, bundle) = entry();
            ops.push(EditOp::RemoveBundle {
                catalog: None,
                package,
                bundle,
                then,
            });
        }
        for how in [
            None,
            Some(PromoteAs::Head),
            Some(PromoteAs::Chain),
            Some(PromoteAs::Skipped),
        ] {
            for choice in [Choice::Default, Choice::None, Choice::Value(text("p.v0"))] {
                let (package, to, bundle) = entry();
                let (replaces, skip_range) = (choice.clone(), choice);
                ops.push(EditOp::Promote {
                    catalog: None,
                    package,
                    bundle,
                    to,
                    how,
                    replaces,
                    skip_range,
                });
            }
        }
        for op in ops {
            assert_eq!(
                operation_from_words(&to_arguments(&op)).as_ref(),
                Ok(&op),
                "{:?}",
                to_arguments(&op)
            );
            let json = serde_json::to_string(&op).expect("JSON");
            assert_eq!(
                serde_json::from_str::<EditOp>(&json).ok(),
                Some(op),
                "{json}"
            );
        }
    }

    /// Splits words as a shell does: at blanks, except inside single quotes.
    fn split_words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        parts
            .flat_map(|(at, part)| match at % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect(),
                _ => vec![part.to_owned()],
            })
            .collect()
    }

    #[test]
    fn every_operation_has_one_valid_example() {
        let command = Arguments::command();
        let edit = command
            .get_subcommands()
            .find(|command| command.get_name() == "edit")
            .unwrap();
        let mut operations: Vec<&str> = edit
            .get_subcommands()
            .map(|operation| operation.get_name())
            .collect();
        let mut with_example: Vec<&str> = EXAMPLES
            .iter()
            .filter_map(|example| example.split(' ').next())
            .collect();
        operations.sort_unstable();
        with_example.sort_unstable();
        assert_eq!(operations, with_example);
        for example in EXAMPLES {
            match operation_from_words(&split_words(example)) {
                Ok(_) => {}
                // Icons need a file, which this test lacks.
                Err(message) => assert_eq!(message, "`p.svg` is not read here", "{example}"),
            }
        }
    }
}
