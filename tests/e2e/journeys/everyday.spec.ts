// What editing all day needs: nothing typed is lost, and what was done is seen.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator } from '@playwright/test';
import { catalogOf, inAChain } from '../catalogs';
import { accessible, apply, choosePackage, command, entry, expect, field, fixture, openFolder, test } from '../harness';

test('what was typed in a form that Escape closed is there when it is opened again', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const name = 'anchor-operator.v1.1.0';
  const deprecate = async (of: string): Promise<Locator> => {
    await entry(page, of, 'stable').click();
    return command(page, 'Deprecate…');
  };
  const form = await deprecate(name);
  const message = form.getByLabel('Message', { exact: true });
  const filled = await message.inputValue();
  await message.fill('Has a leak; use 1.2.');
  await page.keyboard.press('Escape');
  await expect(form).toBeHidden();

  await test.step('for the same version, and only for that', async () => {
    await deprecate('anchor-operator.v1.0.0');
    await expect(message).toHaveValue(filled);
    await expect(form.getByRole('group', { name: 'Typed before' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await deprecate(name);
    await expect(message).toHaveValue('Has a leak; use 1.2.');
    await expect(form.getByRole('group', { name: 'Typed before' })).toBeVisible();
    await expect(form.getByLabel('Bundle', { exact: true }), 'Enter does not apply it').toBeFocused();
    await accessible(page, 'a form with what was typed before');
  });

  await test.step('until it is begun again, cancelled or applied', async () => {
    await form.getByRole('button', { name: 'Start again' }).click();
    await expect(message).toHaveValue(filled);
    await expect(message).toBeFocused();
    await message.fill('Too old.');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await deprecate(name);
    await expect(message).toHaveValue(filled);
    await message.fill('Too old.');
    await page.keyboard.press('Escape');
    await deprecate(name);
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('Too old.');
    await apply(form);
    await deprecate(name);
    await expect(form.getByRole('group', { name: 'Typed before' })).toHaveCount(0);
  });
  expect(violations).toEqual([]);
});
