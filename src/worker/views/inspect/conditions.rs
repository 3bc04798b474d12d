//! Deprecations as facts of the inspector: under the status condition that users will see, and who they are.

use super::{InspectionSubject, noted, written};
use fbc::upgrade::status_conditions::{Scope, deprecation};
use protocol::inspection::Fact;

/// One fact for each of the scopes that is deprecated.
pub(super) fn conditions(subject: InspectionSubject<'_>, scopes: &[Scope<'_>]) -> Vec<Fact> {
    let of = |scope: &Scope<'_>| {
        let (blob, entry) = deprecation(subject.package, *scope)?;
        let at = subject.location(blob.file, blob.index, entry.message.place);
        let who = match scope {
            Scope::Package => "seen by everyone who has the package".to_owned(),
            Scope::Channel(name) => {
                format!(
                    "seen by subscribers of channel `{name}`, and by ClusterExtensions that name it or no channel"
                )
            }
            Scope::Bundle(name) => format!("seen while `{name}` is installed"),
        };
        Some(noted(
            who,
            written(scope.condition().as_str(), entry.message.as_str(), at),
        ))
    };
    scopes.iter().filter_map(of).collect()
}
