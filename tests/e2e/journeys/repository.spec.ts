// An operator repository: listed by names, operators read on demand, a release to two templates as two patches, and
// the other actions of the pipeline. SWITCHYARD_PICTURES updates the screenshots of docs/release-in-a-repository.md.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { newFolder } from '../bundles';
import { clippedTexts } from '../cut';
import { HERE, PASSES, accessible, builtPath, corpus, drop, expect, graph, start, test, verdict } from '../harness';

const DATA = path.resolve(HERE, '../data/repository');
const DOCS = path.resolve(HERE, '../../docs');

const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Operators and catalogs' });
const row = (page: Page, operator: string): Locator =>
  grid(page).getByRole('row').filter({ has: page.getByRole('rowheader', { name: operator }) });
const cell = (page: Page, operator: string, catalog: string): Locator =>
  row(page, operator).getByRole('button', { name: new RegExp(`^${catalog.replaceAll('.', '\\.')}:`) });
const side = (page: Page, operator: string): Locator => page.locator('.repo-side').filter({ has: page.getByRole('heading', { name: operator, exact: true }) });
const preview = (dialog: Locator): Locator => dialog.getByRole('region', { name: 'Preview' });

/// A copy of our small test repository, under git.
function repository(change: (dir: string) => void = () => {}): string {
  const dir = path.join(newFolder('repository'), 'community-operators');
  fs.cpSync(DATA, dir, { recursive: true });
  change(dir);
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: dir });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'as it was');
  return dir;
}

async function openRepository(page: Page, dir: string): Promise<void> {
  await start(page);
  await drop(page, [dir]);
  await expect(page.getByRole('heading', { name: 'Repository', level: 1 })).toBeVisible({ timeout: 45_000 });
  await expect(grid(page)).toBeVisible();
}

async function choose(page: Page, operator: string): Promise<Locator> {
  await row(page, operator).getByRole('rowheader').getByRole('button').click();
  await expect(side(page, operator)).toBeVisible();
  return side(page, operator);
}

/// Opens the review, which lists the pull requests.
async function pullRequests(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Review and save/ }).click();
  return page.getByRole('dialog', { name: 'Review changes' }).getByRole('region', { name: 'Pull requests' });
}

/// Downloads a pull request's patch and applies it with git; returns its text.
async function applyPatch(page: Page, dir: string, name: string): Promise<string> {
  const downloadEvent = page.waitForEvent('download');
  await page.getByRole('button', { name: `Download ${name}` }).click();
  const file = path.join(newFolder('patch'), name);
  await (await downloadEvent).saveAs(file);
  execFileSync('git', ['apply', '--check', file], { cwd: dir });
  execFileSync('git', ['apply', file], { cwd: dir });
  return fs.readFileSync(file, 'utf8');
}

/// Validates every changed catalog with our command line, and with opm if available; returns their paths.
function validateChanged(dir: string): string[] {
  const changed = execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: dir, encoding: 'utf8' });
  const catalogs = [...new Set([...changed.matchAll(/catalogs\/[^/]+\/[^/]+/g)].map(match => match[0]))];
  for (const catalog of catalogs) {
    expect(execFileSync(builtPath('SWITCHYARD_CLI'), ['validate', path.join(dir, catalog)], { encoding: 'utf8' })).toContain('passes');
    const opm = process.env.SWITCHYARD_OPM_BINARY;
    if (opm) execFileSync(opm, ['validate', path.join(dir, catalog)]);
  }
  if (!process.env.SWITCHYARD_OPM_BINARY) console.log('SWITCHYARD_OPM_BINARY is not set: opm is not run');
  return catalogs;
}

async function picture(page: Page, name: string): Promise<void> {
  const file = path.join(DOCS, 'pictures', name);
  expect(fs.readFileSync(path.join(DOCS, 'release-in-a-repository.md'), 'utf8')).toContain(`](pictures/${name})`);
  if (process.env.SWITCHYARD_PICTURES) await page.screenshot({ path: file, animations: 'disabled' });
  expect(fs.readFileSync(file).subarray(1, 4).toString(), `${name} is a picture`).toBe('PNG');
}

test('a repository is listed by names, and operators are read when they are in view', async ({ page, violations }) => {
  await openRepository(page, repository());

  await test.step('the newest version is first, and each cell has its state and verdict', async () => {
    await expect(grid(page).getByRole('columnheader')).toHaveText(['Operator', '4.19', 'v4.18', 'v4.17', 'v4.16']);
    await expect(cell(page, 'harbor', 'v4.18')).toHaveAccessibleName('v4.18: fresh, passes opm validate');
    await expect(cell(page, 'lantern', 'v4.17')).toHaveAccessibleName('v4.17: stale, passes opm validate');
    await expect(cell(page, 'lantern', '4.19')).toHaveAccessibleName('4.19: missing');
    await expect(cell(page, 'tide', 'v4.18')).toHaveAccessibleName('v4.18: not there');
    const legend = page.getByRole('list', { name: 'What the marks mean' });
    await expect(legend).toContainText('stale: its template renders something else');
    await expect(cell(page, 'lantern', 'v4.17')).toHaveAttribute('title', /Its template renders something else/);
    await accessible(page, 'the repository');
  });

  await test.step('filter by state and name', async () => {
    await page.getByRole('combobox', { name: 'State' }).selectOption('With stale catalogs');
    await expect(grid(page).getByRole('rowheader')).toHaveCount(1);
    await page.getByRole('combobox', { name: 'State' }).selectOption('With unreleased bundles');
    await expect(row(page, 'harbor')).toContainText('1 unreleased');
    await page.getByRole('combobox', { name: 'State' }).selectOption('All operators');
    await page.getByRole('searchbox', { name: 'Operator name contains' }).fill('har');
    await expect(grid(page).getByRole('rowheader')).toHaveText([/harbor/]);
    await page.getByRole('searchbox', { name: 'Operator name contains' }).fill('');
  });

  await test.step('the keyboard navigates the grid, opens a catalog and returns', async () => {
    await row(page, 'harbor').getByRole('rowheader').getByRole('button').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect(cell(page, 'harbor', 'v4.18')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(cell(page, 'lantern', 'v4.18')).toBeFocused();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(graph(page)).toHaveAccessibleName('Upgrade graph of harbor');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(page.getByRole('menuitemcheckbox', { name: 'With unreleased bundles (1)' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(verdict(page)).toHaveText(PASSES);
    await expect(page.getByRole('list', { name: 'Templates' }).getByRole('listitem')).toHaveCount(2);
    await page.getByRole('banner').getByRole('button', { name: 'Repository' }).click();
    await expect(grid(page)).toBeVisible();
  });

  await test.step('errors in a ci.yaml have a place and can be corrected', async () => {
    const lantern = await choose(page, 'lantern');
    const findings = lantern.getByRole('list', { name: 'Findings' });
    await expect(row(page, 'lantern').getByRole('rowheader').getByRole('button')).toHaveAccessibleName(/\d warnings?/);
    await expect(findings).toContainText('catalog name 4.19 lacks its v');
    await expect(findings).toContainText('operators/lantern/ci.yaml:10');
    await expect(lantern).toContainText('leaves out for this operator: check_network_policy_presence');
    const bundles = lantern.getByRole('list', { name: 'Bundles' }).getByRole('listitem');
    await expect(bundles.filter({ hasText: '0.2.0' })).toContainText('in v4.18; not in v4.17');
    await expect(bundles.filter({ hasText: '0.1.0' })).toContainText('in v4.17, v4.18');
    await accessible(page, 'an operator');
    await findings.getByRole('button', { name: 'Write v4.19…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Correct the configuration of lantern' });
    await expect(preview(dialog)).toContainText('v4.19');
    await dialog.getByRole('button', { name: 'Make the change' }).click();
    await expect(dialog).toBeHidden();
    await expect(cell(page, 'lantern', 'v4.19')).toHaveAccessibleName('v4.19: missing');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(cell(page, 'lantern', '4.19')).toHaveAccessibleName('4.19: missing');
    await findings.getByRole('button', { name: 'operators/lantern/ci.yaml:10' }).first().click();
    await expect(page.getByRole('tabpanel', { name: 'Source' })).toContainText('catalog_mapping');
  });

  await test.step('an operator names its templates, which open', async () => {
    await page.getByRole('banner').getByRole('button', { name: 'Repository' }).click();
    const harbor = await choose(page, 'harbor');
    await harbor.getByRole('list', { name: 'Catalogs of the operator' }).getByRole('button', { name: 'old.yaml' }).click();
    await expect(page.getByRole('note', { name: 'Template', exact: true })).toBeVisible();
  });

  await test.step('they are also among the problems of its catalogs, with their rule', async () => {
    await page.getByRole('banner').getByRole('button', { name: 'Repository' }).click();
    await cell(page, 'lantern', 'v4.18').click();
    await page.getByRole('button', { name: 'Make problems larger' }).click();
    const problems = page.getByRole('region', { name: 'Problems' });
    await expect(problems).toContainText('catalog name 4.19 lacks its v');
    await expect(problems).toContainText('catalog-without-v');
    await expect(problems).toContainText('operators/lantern/ci.yaml:10');
  });
  expect(violations).toEqual([]);
});

test('a bundle is released to two templates, and git applies both patches', async ({ page, violations }) => {
  test.slow();
  const dir = repository(dir => fs.rmSync(path.join(dir, 'operators/harbor/1.2.0/release-config.yaml')));
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await openRepository(page, dir);
  await expect(cell(page, 'lantern', '4.19')).toHaveAccessibleName('4.19: missing');
  await picture(page, 'repository-grid.png');
  const harbor = await choose(page, 'harbor');
  await harbor.getByRole('button', { name: 'Release 1.2.0…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Release harbor 1.2.0' });

  await test.step('the form is filled in like the previous release', async () => {
    await expect(dialog.getByLabel('Image')).toHaveValue('quay.io/example/harbor:v1.2.0');
    const basic = dialog.getByRole('group', { name: 'basic.yaml' });
    const old = dialog.getByRole('group', { name: 'old.yaml' });
    await expect(basic.getByRole('checkbox', { name: /^basic.yaml/ })).toBeChecked();
    await expect(old.getByRole('checkbox', { name: /^old.yaml/ })).toBeChecked();
    await expect(basic.getByLabel('Replaces')).toHaveValue('harbor.v1.1.0');
    await expect(basic.getByRole('checkbox', { name: 'fast' })).toBeChecked();
  });

  await test.step('the preview shows the result of the pipeline', async () => {
    await expect(preview(dialog)).toContainText('template_name: basic.yaml');
    const catalogs = preview(dialog).getByRole('list', { name: 'What becomes of the catalogs' });
    await expect(catalogs.getByRole('listitem').first()).toContainText(/ (changes, and passes|change, and pass) opm validate/);
    await expect(preview(dialog).getByText('harbor/1.2.0/release-config.yaml'), 'a file is listed once').toHaveCount(1);
    await accessible(page, 'a release');
    await picture(page, 'repository-release.png');
    for (const [width, height] of [[1280, 720], [1440, 900]] as const) {
      await page.setViewportSize({ width, height });
      expect(await clippedTexts(page), `${width} × ${height}`).toEqual([]);
    }
  });

  await test.step('an invalid value in the form is reported at once', async () => {
    const basic = dialog.getByRole('group', { name: 'basic.yaml' });
    await basic.getByLabel('Replaces').fill('harbor.v9.9.9');
    await expect(preview(dialog)).toContainText('fails opm validate');
    await basic.getByLabel('Replaces').fill('harbor.v1.1.0');
    await expect(preview(dialog)).not.toContainText('fails opm validate');
  });

  await dialog.getByRole('radio', { name: 'Templates and catalogs too' }).click();
  await dialog.getByRole('button', { name: 'Write all files' }).click();
  await expect(dialog).toBeHidden();
  const requests = await pullRequests(page);
  await expect(requests.getByRole('listitem')).toHaveCount(2);
  await expect(requests).toContainText('operator harbor (1.2.0)');
  await accessible(page, 'pull requests');
  await picture(page, 'repository-pull-requests.png');
  await page.keyboard.press('Escape');
  await expect(requests).toHaveCount(0);

  await test.step('one undo reverts everything', async () => {
    await expect(page.getByRole('button', { name: /^Review and save · 6 files/ })).toBeVisible();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(page.getByRole('button', { name: 'Review and save', exact: true })).toBeVisible();
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await expect(page.getByRole('button', { name: /^Review and save · 6 files/ })).toBeVisible();
  });

  await pullRequests(page);
  const first = await applyPatch(page, dir, 'harbor-1.2.0-bundle.patch');
  expect(first.split('\n')[0]).toBe('operator harbor (1.2.0)');
  expect([...first.matchAll(/^diff --git a\/(\S+)/gm)].map(match => match[1])).toEqual(['operators/harbor/1.2.0/release-config.yaml']);
  const second = await applyPatch(page, dir, 'harbor-1.2.0-catalogs.patch');
  expect(second).not.toContain('release-config.yaml b/');
  expect(validateChanged(dir)).toEqual(['catalogs/v4.16/harbor', 'catalogs/v4.17/harbor', 'catalogs/v4.18/harbor']);
  // The command line agrees.
  expect(execFileSync(builtPath('SWITCHYARD_CLI'), ['repo', 'status', dir, '--operator', 'harbor'], { encoding: 'utf8' })).toMatch(/fresh +fresh +fresh/);
  await page.keyboard.press('Escape');
  await expect(cell(page, 'harbor', 'v4.18')).toHaveAccessibleName('v4.18: fresh, passes opm validate');
  expect(violations).toEqual([]);
});

test('stale catalogs, the next version and file-based catalogs are handled', async ({ page, violations }) => {
  const dir = repository();
  await openRepository(page, dir);
  const dialogs = page.getByRole('dialog');

  await test.step('stale catalogs are updated', async () => {
    const lantern = await choose(page, 'lantern');
    await lantern.getByRole('button', { name: 'Bring 1 catalog up to date…' }).click();
    await expect(preview(dialogs)).toContainText(/get 0\.2\.0 instead of 0\.1\.0/);
    await accessible(page, 'bring up to date');
    await dialogs.getByRole('button', { name: 'Make the change' }).click();
    await expect(dialogs).toBeHidden();
    await expect(cell(page, 'lantern', 'v4.17')).toHaveAccessibleName('v4.17: fresh, passes opm validate');
  });

  await test.step('all operators get the next version', async () => {
    await page.getByRole('button', { name: 'Next OpenShift version…' }).first().click();
    await expect(dialogs.getByLabel('To', { exact: true })).toHaveValue('v4.19');
    await expect(preview(dialogs)).toContainText('With all others: harbor.');
    await accessible(page, 'the next version');
    await dialogs.getByRole('button', { name: 'Make the change' }).click();
    await expect(dialogs).toBeHidden();
    await expect(cell(page, 'harbor', 'v4.19')).toHaveAccessibleName('v4.19: fresh, passes opm validate');
  });

  await test.step('an operator moves to file-based catalogs', async () => {
    const tide = await choose(page, 'tide');
    await tide.getByRole('button', { name: 'Move to file-based catalogs…' }).click();
    await dialogs.getByLabel('Rendered catalogs').setInputFiles(['v4.17.yaml', 'v4.18.yaml'].map(name => path.join(DATA, 'served', name)));
    await expect(preview(dialogs)).toContainText('are new, and pass opm validate');
    await accessible(page, 'file-based catalogs');
    await dialogs.getByRole('button', { name: 'Make the change' }).click();
    await expect(dialogs).toBeHidden();
    await expect(cell(page, 'tide', 'v4.17')).toHaveAccessibleName('v4.17: fresh, passes opm validate');
  });

  await pullRequests(page);
  await applyPatch(page, dir, 'tide-file-based.patch');
  expect(validateChanged(dir)).toEqual(['catalogs/v4.17/tide', 'catalogs/v4.18/tide']);
  expect(violations).toEqual([]);
});

/// A bundle of an operator, copied as its next version into its own folder.
function nextBundle(dir: string, operator: string, from: string, to: string): string {
  const folder = path.join(newFolder('bundle'), to);
  fs.cpSync(path.join(dir, 'operators', operator, from), folder, { recursive: true });
  fs.rmSync(path.join(folder, 'release-config.yaml'), { force: true });
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(from, to));
  }
  return folder;
}

test('a bundle dropped on the repository is released in it', async ({ page, violations }) => {
  const dir = repository();
  await openRepository(page, dir);
  await drop(page, [nextBundle(dir, 'harbor', '1.2.0', '1.3.0')]);
  const dialog = page.getByRole('dialog', { name: 'Release harbor 1.3.0' });
  await expect(dialog.getByLabel('Image')).toHaveValue('quay.io/example/harbor:v1.3.0');
  await expect(preview(dialog)).toContainText('template_name: basic.yaml');
  await accessible(page, 'a dropped bundle');
  await dialog.getByRole('button', { name: 'Write release-config.yaml' }).click();
  await expect(dialog).toBeHidden();
  await expect((await pullRequests(page)).getByRole('listitem')).toHaveCount(1);
  const patch = await applyPatch(page, dir, 'harbor-1.3.0-bundle.patch');
  expect(patch).toContain('b/operators/harbor/1.3.0/manifests/harbor.clusterserviceversion.yaml');
  expect(fs.existsSync(path.join(dir, 'operators/harbor/1.3.0/release-config.yaml'))).toBe(true);
  expect(violations).toEqual([]);
});

test('symbolic links are reported with their places, and one operator with its catalogs is a repository too', async ({ page, violations }) => {
  const outsideFile = path.join(newFolder('outside'), 'catalog.yaml');
  fs.copyFileSync(path.join(DATA, 'catalogs/v4.18/lantern/catalog.yaml'), outsideFile);
  const dir = repository(dir => {
    fs.rmSync(path.join(dir, 'catalogs/v4.18/lantern/catalog.yaml'));
    fs.symlinkSync(outsideFile, path.join(dir, 'catalogs/v4.18/lantern/catalog.yaml'));
  });
  await openRepository(page, dir);
  // A neighbour of the catalog cannot be read, so that the whole catalog has no verdict.
  await expect(cell(page, 'harbor', 'v4.18')).toHaveAccessibleName('v4.18: fresh, no errors in its part of the catalog');
  // Its newest bundle was in the catalog that is a link.
  await expect(cell(page, 'lantern', 'v4.17')).toHaveAccessibleName('v4.17: not judged, passes opm validate');
  await expect(cell(page, 'lantern', 'v4.18')).toHaveAccessibleName(/^v4\.18: not judged/);
  await choose(page, 'lantern');
  await expect(side(page, 'lantern').getByRole('list', { name: 'Findings' })).toContainText('symbolic link');
  await expect(side(page, 'lantern').getByRole('list', { name: 'Findings' })).toContainText('catalogs/v4.18/lantern/catalog.yaml');

  await test.step('one operator and its catalogs', async () => {
    await start(page);
    await drop(page, [path.join(dir, 'operators/harbor'), path.join(dir, 'catalogs')]);
    await expect(grid(page)).toBeVisible({ timeout: 45_000 });
    await expect(grid(page).getByRole('rowheader')).toHaveText([/harbor/]);
    await expect(cell(page, 'harbor', 'v4.18')).toHaveAccessibleName(/^v4\.18: fresh, /);
  });
  expect(violations).toEqual([]);
});

test('a broken file is one finding with its place, and other operators are not affected', async ({ page, violations }) => {
  const dir = repository(dir => {
    fs.writeFileSync(path.join(dir, 'operators/lantern/ci.yaml'), 'fbc:\n  catalog_mapping: [\n');
    fs.writeFileSync(path.join(dir, 'operators/harbor/catalog-templates/old.yaml'), 'schema: olm.template.basic\nentries: [\n');
    fs.rmSync(path.join(dir, 'operators/tide/2.1.0/manifests/tide-operator.clusterserviceversion.yaml'));
    fs.writeFileSync(path.join(dir, 'operators/tide/2.1.0/manifests/nothing.yaml'), '{}\n');
    fs.writeFileSync(path.join(dir, 'operators/tide/2.1.0/release-config.yaml'), 'catalog_templates: []\n');
  });
  await openRepository(page, dir);
  await expect(cell(page, 'harbor', 'v4.18')).toHaveAccessibleName('v4.18: fresh, passes opm validate');
  await expect(cell(page, 'harbor', 'v4.16')).toHaveAccessibleName('v4.16: not judged, passes opm validate');
  const findings = (operator: string): Locator => side(page, operator).getByRole('list', { name: 'Findings' });
  await choose(page, 'lantern');
  await expect(findings('lantern')).toContainText('operators/lantern/ci.yaml:');
  await choose(page, 'harbor');
  await expect(findings('harbor')).toContainText('operators/harbor/catalog-templates/old.yaml');
  await choose(page, 'tide');
  await expect(findings('tide')).toContainText('there is no *.clusterserviceversion.yaml');
  expect(violations).toEqual([]);
});

test('an excerpt of a public repository opens', async ({ page, violations }) => {
  const dir = corpus('repository');
  await openRepository(page, dir);
  await expect(page.locator('.repo-count').filter({ hasText: '17 operators' })).toBeVisible();
  await page.getByRole('combobox', { name: 'State' }).selectOption('With stale catalogs');
  await expect(page.getByText(/judged \d+ so far/)).toHaveCount(0, { timeout: 90_000 });
  await expect(grid(page).getByRole('rowheader').first()).toBeVisible();
  await accessible(page, 'the public repository');
  expect(violations).toEqual([]);
});

test('in the public repository a bundle is released to two templates, and its patches apply', async ({ page, violations }) => {
  test.slow();
  const dir = path.join(newFolder('public'), 'community-operators');
  fs.cpSync(corpus('repository'), dir, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', dir]);
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: dir });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'as it was');
  const operator = 'openstack-lightspeed-operator';
  await openRepository(page, dir);
  await drop(page, [nextBundle(dir, operator, '0.0.2', '0.0.3')]);
  const dialog = page.getByRole('dialog', { name: `Release ${operator} 0.0.3` });
  for (const template of ['v4.16.yaml', 'v4.18.yaml']) {
    await expect(dialog.getByRole('group', { name: template }).getByLabel('Replaces')).toHaveValue(`${operator}.v0.0.2`);
  }
  // Pressed at once, while the preview belongs to the previous choice: the result must match the form.
  await expect(dialog.getByRole('button', { name: 'Write release-config.yaml' })).toBeEnabled();
  await dialog.getByRole('radio', { name: 'Templates and catalogs too' }).click();
  await dialog.getByRole('button', { name: 'Write all files' }).click();
  await expect(dialog).toBeHidden();
  await expect((await pullRequests(page)).getByRole('listitem')).toHaveCount(2);
  await applyPatch(page, dir, `${operator}-0.0.3-bundle.patch`);
  await applyPatch(page, dir, `${operator}-0.0.3-catalogs.patch`);
  expect(validateChanged(dir)).toEqual([`catalogs/v4.16/${operator}`, `catalogs/v4.18/${operator}`]);
  expect(violations).toEqual([]);
});
