//! The table of users in one sentence.

use super::user_table::{Fate, Lenses, TableRow, label};
use crate::upgrade::Installed;

/// So many things are told, of these at least one of users; the rest is counted.
const TOLD: usize = 3;

/// What new installs get, if that differs, then what happens to the users who are hit worst; `rows` has these first.
pub(super) fn of(rows: &[TableRow]) -> String {
    let (fresh, users): (Vec<&TableRow>, Vec<&TableRow>) = rows.iter().partition(|row| row.is_fresh());
    let changed = |rows: &[&TableRow]| rows.iter().any(|row| row.fate != Fate::Same);
    let mut said: Vec<String> = fresh.iter().filter(|row| row.fate != Fate::Same).map(|row| of_fresh(row)).collect();
    let told = TOLD.saturating_sub(said.len()).max(1);
    said.extend(users.iter().take(told).map(|row| of_users(row)));
    match users.len().saturating_sub(told) {
        0 => {}
        1 => said.push("1 more group of users".to_owned()),
        more => said.push(format!("{more} more groups of users")),
    }
    if users.is_empty() {
        said.push("no installed version gets a different upgrade".to_owned());
    }
    if !changed(&fresh)
        && let Some(now) = fresh.iter().find_map(|row| row.now.as_ref())
    {
        said.push(format!("new installs get {} as before", label(now)));
    }
    said.join("; ")
}

fn of_fresh(row: &TableRow) -> String {
    let name = |installed: Option<&Installed>| installed.map_or("nothing", label).to_owned();
    format!("new installs get {} instead of {}{}", name(row.now.as_ref()), name(row.was.first()), under(row.lenses))
}

fn of_users(row: &TableRow) -> String {
    let who = who(&row.from);
    let last = row.last.as_ref().map_or("nothing", label);
    let next = row.now.as_ref().map_or("nothing", label);
    let does = match row.fate {
        Fate::Stranded => "get no update any more".to_owned(),
        Fate::Downgrade => format!("go down to {next}"),
        Fate::EndsLower | Fate::OtherEnd => match row.last_was.as_slice() {
            [was] => format!("end at {last} instead of {}", label(was)),
            _ => format!("end at {last}"),
        },
        Fate::Rerouted => format!("move on to {next}"),
        Fate::Gained => format!("move on to {next} (before: no update)"),
        Fate::Same => "fare as before".to_owned(),
    };
    format!("{who} {does}{}", under(row.lenses))
}

/// `users on 1.0.0 and 1.1.0`, `users on 12 versions from 1.25.0 to 1.29.2`; the newest comes first in `from`.
fn who(from: &[Installed]) -> String {
    match from {
        [] => "nobody".to_owned(),
        [only] => format!("users on {}", label(only)),
        [newer, older] => format!("users on {} and {}", label(older), label(newer)),
        [newest, .., oldest] => {
            format!("users on {} versions from {} to {}", from.len(), label(oldest), label(newest))
        }
    }
}

fn under(lenses: Lenses) -> &'static str {
    match lenses {
        Lenses::Both => "",
        Lenses::Classic => " under Classic",
        Lenses::V1 => " under OLM v1",
    }
}
