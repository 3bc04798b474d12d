//! Typing that goes on is a part of the last step.

use super::*;

#[test]
fn what_is_typed_on_is_undone_with_the_step_it_belongs_to() {
    let (mut workspace, _) = one();
    let opened = workspace.bytes("cat/p/catalog.yaml").unwrap();
    let first = workspace.apply_to_last_step("Type", &[replaced("4:17-4:18", "a", "b")]).unwrap();
    assert_eq!((workspace.history().len(), workspace.applied_steps()), (1, 1), "there was none to add to");
    assert_eq!(first.packages.len(), 1);
    let second = workspace.apply_to_last_step("Type", &[replaced("4:18-4:18", "", " ")]).unwrap();
    workspace.apply_to_last_step("Type", &[replaced("4:19-4:19", "", "# changed")]).unwrap();
    assert_eq!(second.files, ["cat/p/catalog.yaml"], "each part is judged");
    assert_eq!((workspace.history().len(), workspace.history()[0].ops.len()), (1, 3));
    let text = String::from_utf8(workspace.bytes("cat/p/catalog.yaml").unwrap()).unwrap();
    assert!(text.contains("defaultChannel: b # changed\n"), "{text}");
    workspace.undo().unwrap();
    assert_eq!(workspace.bytes("cat/p/catalog.yaml").unwrap(), opened);
    workspace.redo().unwrap();
    assert_eq!(workspace.bytes("cat/p/catalog.yaml").unwrap(), text.as_bytes());
    // The operations of the step lead there, too: a new worker replays them.
    let (mut again, _) = one();
    again.apply("Type", &workspace.history()[0].ops.clone()).unwrap();
    assert_eq!(again.bytes("cat/p/catalog.yaml").unwrap(), text.as_bytes());
}

#[test]
fn an_undone_a_saved_and_a_full_step_take_no_more() {
    let (mut workspace, _) = one();
    workspace.apply("one", &[default_channel(None, "p", "b")]).unwrap();
    workspace.apply("two", &[default_channel(None, "q", "b")]).unwrap();
    workspace.undo().unwrap();
    workspace.apply_to_last_step("more", &[default_channel(None, "r", "b")]).unwrap();
    let titles = |workspace: &Workspace| workspace.history().iter().map(|s| s.title.clone()).collect::<Vec<_>>();
    assert_eq!(titles(&workspace), ["one", "more"]);
    // Saved: what the host has stays a state that undo leads to.
    for (id, path) in [(0, "cat/p/catalog.yaml"), (2, "cat/r/catalog.yaml")] {
        let bytes = workspace.bytes(path).unwrap();
        let host = HostFile { id: FileId(100 + id), path: path.to_owned(), bytes };
        assert!(workspace.mark_saved(host).unwrap());
    }
    assert_eq!(workspace.saved_steps(), Some(2));
    workspace.apply_to_last_step("on", &[default_channel(None, "p", "a")]).unwrap();
    assert_eq!(titles(&workspace), ["one", "more", "on"]);
    for at in 0..200 {
        workspace.apply_to_last_step("on", &[default_channel(None, "p", ["a", "b"][at % 2])]).unwrap();
    }
    assert!(workspace.history().iter().all(|step| step.ops.len() <= 100));
}
