import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { message } from './chat.ts';

test('in a browser the same links are part of the address, asked about one after another, by keyboard alone', async ({
  app,
}) => {
  const { page } = app;
  await page.getByRole('button', { name: 'New chat' }).first().click();
  await message(page).fill('typed before');
  const open = (link: string) =>
    page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      `open/${encodeURIComponent(link)}`,
    );
  await open('portico://new?prompt=from+a+link&model=nobody%2Fgone');
  await open('portico://models?q=reasoner');
  await open('portico://gateway?url=https%3A%2F%2Fgateway.example.com');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('nobody/gone (not in the catalogue');
  await expect(dialog).toContainText('It goes below what you have typed there already.');
  await expectNoFault(page, 'a link');
  await dialog.getByRole('button', { name: 'Put into a new chat' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Show models from a link?');
  await dialog.getByRole('button', { name: 'Show', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('https://gateway.example.com');
  await dialog.getByRole('button', { name: 'Go to the settings' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('textbox', { name: 'Base URL' })).toHaveValue('https://gateway.example.com');
  await page.goBack();
  await expect(page.getByRole('searchbox').first()).toHaveValue('reasoner');
  await open('portico://prompt?name=Short&text=Be+short.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Prompt saved')).toBeVisible();
  await page.getByRole('button', { name: 'New chat' }).first().click();
  await expect(message(page)).toHaveValue('typed before\n\nfrom a link');
});
