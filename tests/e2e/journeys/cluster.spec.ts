// Catalog and cluster: a dropped Subscription or ClusterExtension fills in the upgrade question, the cluster version
// is part of the question, and a package can be tried on a cluster.
import fs from 'node:fs';
import path from 'node:path';
import { newFolder } from '../bundles';
import { accessible, choosePackage, command, drop, entry, expect, fixture, graph, openFolder, start, test } from '../harness';
import type { Locator, Page } from '@playwright/test';

const inspector = (page: Page): Locator => page.getByRole('complementary', { name: 'Inspector' });
const questionDialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Where will it go?' });

type Fields = { name?: string; channel?: string; installed?: string; more?: string };

const subscription = ({ name = 'anchor-operator', channel = 'stable', installed, more = '' }: Fields): string => `apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: anchor
spec:
  name: ${name}
  channel: ${channel}
${more}${installed ? `status:\n  installedCSV: ${installed}\n` : ''}`;

const EXTENSION = `apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata:
  name: beacon
spec:
  source:
    sourceType: Catalog
    catalog:
      packageName: beacon-operator
      channels: [stable]
      version: ">=1.1.0"
      upgradeConstraintPolicy: SelfCertified
status:
  install:
    bundle:
      name: beacon-operator.v1.1.0
      version: 1.1.0
`;

/// Several objects as `kubectl get -o yaml` prints them.
const list = (...objects: string[]): string =>
  `apiVersion: v1\nkind: List\nitems:\n${objects.map(object => `- ${object.trimEnd().replaceAll('\n', '\n  ')}\n`).join('')}`;

function file(name: string, text: string): string {
  const dir = newFolder('manifests');
  fs.writeFileSync(path.join(dir, name), text);
  return path.join(dir, name);
}

test('a dropped Subscription fills in the question', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await drop(page, [file('sub.yaml', subscription({ installed: 'anchor-operator.v1.0.0', more: '  installPlanApproval: Manual\n' }))]);
  await expect(graph(page)).toHaveAccessibleName('Upgrade graph of anchor-operator');
  await expect(page.getByRole('combobox', { name: 'Installed' })).toHaveValue('1.0.0');
  await expect(page.getByLabel('Subscribed channel')).toHaveValue('stable');
  await expect(page.getByRole('group', { name: 'Approval' }).getByRole('radio', { name: 'Manual' })).toBeChecked();
  await expect(inspector(page).getByRole('list', { name: 'Path under Classic (v0)' }).getByRole('listitem').first()).toBeVisible();
  await expect(page.getByText('Subscription anchor: anchor-operator, installed anchor-operator.v1.0.0')).toBeVisible();
  await accessible(page, 'a question from a Subscription');
  expect(violations).toEqual([]);
});

test('several objects are listed, with what the catalog lacks', async ({ page }) => {
  await openFolder(page, fixture('beacon'));
  const objects = list(EXTENSION, subscription({ name: 'beacon-operator', channel: 'fats' }), subscription({ name: 'becon-operator' }));
  await drop(page, [file('all.yaml', objects)]);
  const rows = questionDialog(page).getByRole('list', { name: 'Questions' }).getByRole('listitem');
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(0)).toContainText('beacon-operator, installed beacon-operator.v1.1.0, channel stable, version range >=1.1.0, policy SelfCertified.');
  await expect(rows.nth(1)).toContainText('Package beacon-operator has no channel fats');
  await expect(rows.nth(2)).toContainText('Package becon-operator not found: did you mean beacon-operator?');
  await expect(rows.nth(2).getByRole('button')).toHaveCount(0);
  await accessible(page, 'questions of several objects');
  await rows.nth(0).getByRole('button', { name: /^Show in / }).press('Enter');
  await expect(questionDialog(page)).toBeHidden();
  await expect(page.getByLabel('Version range')).toHaveValue('>=1.1.0');
  await expect(page.getByRole('group', { name: 'Upgrade constraint policy' }).getByRole('radio', { name: 'SelfCertified' })).toBeChecked();

  await test.step('a missing channel stays in the question', async () => {
    await drop(page, [file('all.yaml', objects)]);
    await rows.nth(1).getByRole('button', { name: /^Show in / }).click();
    await expect(page.getByLabel('Subscribed channel').locator('option:checked')).toHaveText('fats (not in this package)');
  });

  await test.step('a folder is searched for such objects like a file', async () => {
    const folder = path.join(newFolder('manifests'), 'deploy');
    fs.mkdirSync(path.join(folder, 'operators'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'namespace.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: n\n');
    fs.writeFileSync(path.join(folder, 'operators/all.yml'), objects);
    fs.writeFileSync(path.join(folder, 'README.md'), 'kind: Subscription\n');
    await drop(page, [folder]);
    await expect(rows).toHaveCount(3);
    await expect(rows.nth(0)).toContainText('beacon-operator, installed beacon-operator.v1.1.0');
    await page.keyboard.press('Escape');
    await expect(questionDialog(page)).toBeHidden();
  });
});

test('without a catalog the dialog says so, and an invalid object is refused with its place', async ({ page }) => {
  await start(page);
  await drop(page, [file('sub.json', JSON.stringify({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', metadata: { name: 's' }, spec: { name: 'p' } }))]);
  await expect(questionDialog(page)).toContainText('No catalog is open');
  await expect(questionDialog(page).getByRole('listitem')).toContainText('p, nothing installed, default channel.');
  await accessible(page, 'a question without a catalog');
  await page.keyboard.press('Escape');
  await expect(questionDialog(page)).toBeHidden();
  await drop(page, [file('sub.yaml', subscription({}).replace('  name: anchor-operator\n', ''))]);
  await expect(questionDialog(page).locator('.refusal')).toContainText('it has no spec.name');
  await expect(questionDialog(page).locator('.refusal')).toContainText('sub.yaml:1');
});

test('a cluster version is part of the question', async ({ page }) => {
  const dir = fixture('beacon');
  await openFolder(page, dir);
  await choosePackage(page, 'beacon-operator');
  await page.getByRole('combobox', { name: 'Installed' }).fill('1.1.0');
  await page.keyboard.press('Enter');
  const version = page.getByLabel('Cluster version');
  await version.fill('4.x');
  await page.keyboard.press('Enter');
  await expect(version).toHaveAttribute('aria-invalid', 'true');
  await version.fill('4.18.3');
  await page.keyboard.press('Enter');
  await expect(version).not.toHaveAttribute('aria-invalid', 'true');
  // Text typed while an answer is pending is kept.
  await version.fill('4.19.1');
  await expect(page).toHaveURL(/4\.18\.3/);
  await expect(version).toHaveValue('4.19.1');
  await version.fill('4.18.3');
  await page.keyboard.press('Enter');
  await expect(version).toHaveValue('4.18.3');
  await accessible(page, 'a question for a cluster');
  await page.getByRole('group', { name: 'Lens' }).getByText('v1').click();
  await expect(page.getByLabel('Cluster version')).toHaveValue('4.18.3');
});

test('a package is tried on a cluster, and dropping the manifests restores the question', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await entry(page, 'anchor-operator.v1.2.0', 'stable').click();
  const form = await command(page, 'Try on a cluster…');
  await expect(form.getByRole('button', { name: 'Copy' })).toBeDisabled();
  await form.getByLabel('Catalog image', { exact: true }).fill('quay.io/me/catalog:v1');
  await expect(form).toContainText('kind: Subscription');
  // A selected version must not be upgraded at once.
  await expect(form).toContainText('installPlanApproval: Manual');
  await accessible(page, 'Try on a cluster');
  const [download] = await Promise.all([page.waitForEvent('download'), form.getByRole('button', { name: 'Download' }).click()]);
  const saved = path.join(newFolder('saved'), download.suggestedFilename());
  await download.saveAs(saved);
  await form.getByRole('radio', { name: 'OLM v1' }).click();
  await expect(form).toContainText('kind: ClusterExtension');
  await form.getByRole('button', { name: 'Close' }).last().click();
  await expect(form).toBeHidden();
  await drop(page, [saved]);
  await expect(page.getByRole('group', { name: 'Approval' }).getByRole('radio', { name: 'Manual' })).toBeChecked();
});
