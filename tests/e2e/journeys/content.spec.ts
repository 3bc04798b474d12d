// Content of packages and bundles: description, icon, properties and added bundles, each with an undo.
import { PASSES, accessible, apply, choosePackage, command, entry, expect, field, fixture, openFolder, test, verdict } from '../harness';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';

test('a package gets a description, an icon, a bundle and a property', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const preview = (form: ReturnType<typeof page.getByRole>) => form.getByRole('region', { name: 'Preview' });

  await test.step('a multi-line description is set', async () => {
    const form = await command(page, 'Set description…');
    await field(form, 'Description', 'Keeps ships in place.\n\n- one chain\n- one anchor');
    await expect(preview(form)).toContainText('- one anchor');
    await accessible(page, 'a form of several lines');
    await apply(form);
    await expect(inspector).toContainText('Keeps ships in place.');
    const reopenedForm = await command(page, 'Set description…');
    await expect(reopenedForm.getByLabel('Description', { exact: true })).toHaveValue(/one chain/);
    await reopenedForm.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('an icon is set from a file and shown with its size', async () => {
    const form = await command(page, 'Set icon…');
    const file = { name: 'anchor.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(SVG) };
    await form.getByLabel('Icon', { exact: true }).setInputFiles(file);
    await expect(form).toContainText(`anchor.svg: ${SVG.length} bytes`);
    await expect(preview(form)).toContainText('mediatype: image/svg+xml');
    await apply(form);
    await expect(inspector.locator('img').first()).toBeVisible();
  });

  await test.step('a file that is no image is refused with the reason', async () => {
    const form = await command(page, 'Set icon…');
    const file = { name: 'notes.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('hello') };
    await form.getByLabel('Icon', { exact: true }).setInputFiles(file);
    await expect(form).toContainText('the icon is not in a known image format');
    await form.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('a property of one bundle is checked by its type', async () => {
    const form = await command(page, 'Add property…');
    await field(form, 'Bundle', 'anchor-operator.v1.0.0');
    await field(form, 'Type', 'olm.maxOpenShiftVersion');
    await field(form, 'Value', '4.20');
    await expect(form).toContainText('must be a string, not 4.2');
    await field(form, 'Value', '"4.20"');
    await expect(preview(form)).toContainText('olm.maxOpenShiftVersion');
    await apply(form);
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('a bundle is added as the head of a channel and removed by undo', async () => {
    const form = await command(page, 'Add bundle…');
    await field(form, 'Bundle', 'anchor-operator.v9.0.0');
    await field(form, 'Version', '9.0.0');
    await field(form, 'Image', 'quay.io/harbor/anchor-operator:v9.0.0');
    await field(form, 'To channel', 'stable');
    await apply(form);
    await expect(entry(page, 'anchor-operator.v9.0.0', 'stable')).toHaveAccessibleName(/head/);
    await expect(verdict(page)).toHaveText(PASSES);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(entry(page, 'anchor-operator.v9.0.0', 'stable')).toHaveCount(0);
    await expect(verdict(page)).toHaveText(PASSES);
  });
});
