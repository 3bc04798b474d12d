//! `switchyard lsp` in a real editor, configured as in `docs/editors.md`: headless Neovim, from
//! PATH or `SWITCHYARD_NEOVIM`.

use super::lsp::{CATALOG, validate_problems};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::Command;
use test_support::{Folder, project, read};

/// The first version with a configuration on the page, and the first with the shorter one.
const OLDEST: (u32, u32) = (0, 8);
const SHORTER: (u32, u32) = (0, 11);

const PATH: &str = "catalogs/v4.19/p/catalog.yaml";

/// The actions of a user in the editor. Each answer is a line of JSON after `said `.
const SCRIPT: &str = r#"
local function say(what, value) io.stdout:write('said ' .. vim.json.encode({ what = what, value = value }) .. '\n') end
local function wait(what, is_so) if not vim.wait(30000, is_so, 20) then say('waited in vain', what) end end
local function at(line, inside) vim.fn.cursor(1, 1); vim.fn.search('\\V' .. line); vim.fn.search('\\V' .. inside, 'c') end
local function ask(method)
  local answers = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(0, 'utf-16'), 30000)
  for _, answer in pairs(answers or {}) do return answer.result end
end
local function has(rule)
  for _, problem in ipairs(vim.diagnostic.get(0)) do if problem.code == rule then return true end end
  return false
end
local function leads_to(line, inside, text)
  at(line, inside)
  vim.lsp.buf.definition()
  wait(text, function() return vim.fn.getline('.') == text end)
end

vim.cmd('edit catalogs/v4.19/p/catalog.yaml')
wait('problems', function() return has('edge-misspelt') end)
local problems = {}
for _, problem in ipairs(vim.diagnostic.get(0)) do
  table.insert(problems, { problem.code, problem.message, problem.lnum + 1, problem.col + 1 })
end
say('problems', problems)
at('replaces: v1.0.0', 'v1')
vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title:find('p.v1.0.0', 1, true) ~= nil end })
wait('the fix', function() return vim.fn.search('replaces: p.v1.0.0', 'nw') > 0 end)
wait('its verdict', function() return not has('channel-head-multiple') end)
at('- name: p.v1.1.0', 'p.v1')
say('hover', ask('textDocument/hover').contents.value)
leads_to('replaces: p.v1.0.0', 'p.v1', '- name: p.v1.0.0')
leads_to('- name: p.v1.0.0', 'p.v1', 'name: p.v1.0.0')
at('replaces: p.v1.0.0', 'p.v1')
local labels = {}
local offered = ask('textDocument/completion')
for _, item in ipairs(offered.items or offered) do table.insert(labels, item.label) end
say('completion', labels)
at('\nname: stable', 'stable')
vim.lsp.buf.rename('fast')
wait('the new name', function() return vim.fn.search('^name: fast', 'nw') > 0 end)
vim.cmd('write')
vim.cmd('qa!')
"#;

/// The editor and its version; prints a line and returns `None` if there is no supported one.
fn neovim() -> Option<(OsString, (u32, u32))> {
    let program = std::env::var_os("SWITCHYARD_NEOVIM").unwrap_or_else(|| "nvim".into());
    let output = Command::new(&program).arg("--version").output().ok();
    let output = output.map_or_else(String::new, |output| {
        String::from_utf8_lossy(&output.stdout).into_owned()
    });
    let version = output
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("NVIM v"))
        .and_then(|version| {
            let mut numbers = version.split('.').map_while(|number| number.parse().ok());
            Some((numbers.next()?, numbers.next()?))
        });
    let found = version.filter(|version| *version >= OLDEST);
    if found.is_none() {
        println!("skipped: no Neovim of version 0.8 or newer is installed (SWITCHYARD_NEOVIM)");
    }
    Some((program, found?))
}

/// The configuration on the page for this version.
fn configuration(version: (u32, u32)) -> String {
    let page = read(&project().join("docs/editors.md"));
    let fences: Vec<&str> = page
        .split("```lua\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert_eq!(fences.len(), 2, "one for new versions, one for older ones");
    fences[usize::from(version < SHORTER)].to_owned()
}

#[test]
fn a_catalog_is_fixed_in_neovim() {
    let Some((program, version)) = neovim() else {
        return;
    };
    let folder = Folder::new(&[
        (".switchyard.yaml", "profile: community\n"),
        (PATH, CATALOG),
    ]);
    let own = Folder::new(&[("init.lua", &configuration(version)), ("does.lua", SCRIPT)]);
    std::fs::create_dir(own.path().join("bin")).unwrap();
    std::fs::hard_link(test_support::program(), own.path().join("bin/switchyard"))
        .or_else(|_| {
            std::fs::copy(test_support::program(), own.path().join("bin/switchyard")).map(drop)
        })
        .unwrap();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = [own.path().join("bin")]
        .into_iter()
        .chain(std::env::split_paths(&paths));
    let expected = validate_problems(&folder, &["catalogs/v4.19"]);
    let mut editor = Command::new(program);
    editor
        .args(["--headless", "--clean", "-n", "-u"])
        .arg(own.path().join("init.lua"));
    editor
        .arg("-c")
        .arg(format!("luafile {}", own.path().join("does.lua").display()));
    for kept in [
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
    ] {
        editor.env(kept, own.path());
    }
    let output = editor
        .current_dir(folder.path())
        .env("PATH", std::env::join_paths(paths).unwrap())
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let reports: Vec<Value> = stdout
        .lines()
        .filter_map(|line| line.split_once("said "))
        .map(|(_, json)| serde_json::from_str(json).unwrap())
        .collect();
    let value_of = |what: &str| {
        reports
            .iter()
            .find(|one| one["what"] == what)
            .map(|one| &one["value"])
    };
    let output_text = || format!("{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(value_of("waited in vain"), None, "{}", output_text());
    let problems = value_of("problems")
        .unwrap_or_else(|| panic!("{}", output_text()))
        .as_array()
        .unwrap();
    let problems: BTreeSet<_> = problems
        .iter()
        .map(|problem| {
            let text = |at: usize| problem[at].as_str().unwrap().to_owned();
            (
                text(0),
                text(1),
                problem[2].as_u64().unwrap(),
                problem[3].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(problems, expected.into_iter().collect());
    assert!(
        value_of("hover")
            .and_then(Value::as_str)
            .unwrap()
            .contains("version 1.1.0"),
        "{}",
        output_text()
    );
    assert!(
        value_of("completion")
            .and_then(Value::as_array)
            .unwrap()
            .iter()
            .any(|label| label == "p.v1.0.0"),
        "{}",
        output_text()
    );
    assert_eq!(
        folder.read(PATH),
        CATALOG
            .replace("replaces: v1", "replaces: p.v1")
            .replace("stable", "fast")
    );
}
