import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectNoFaultInEither } from './accessibility.ts';
import { answering } from './answer.ts';
import { expect, test } from './app.ts';

const greeter = fileURLToPath(new URL('../support/mcp/greeter.ts', import.meta.url));
const secret = 'a-secret-of-the-greeter';

// This test starts the app twice and runs axe eleven times.
test.slow();

test('a real tool server is set up, reviewed and switched on, and is still there after a restart', async ({
  launch,
  folder,
}) => {
  const starts = join(folder, 'starts');
  const first = await launch();
  const { page } = first;
  // The page is the same in both hosts, so axe checks it only in the web host, which starts sooner.
  const expectNoFaultIn = first.main ? async () => {} : expectNoFaultInEither;
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.keyboard.press('ControlOrMeta+,');
  await page.getByRole('link', { name: 'Tools', exact: true }).click();
  await expect(page.getByText('No servers yet.')).toBeVisible();
  await page.getByRole('switch', { name: 'Calculator' }).click();
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = page.getByRole('dialog', { name: 'Add a tool server' });
  await form.getByLabel('Name', { exact: true }).fill('Greeter');
  await form.getByLabel('Command').fill(process.execPath);
  await form.getByLabel('Arguments').fill(greeter);
  await form.getByRole('button', { name: 'Add variable' }).click();
  await form.getByLabel('Name 1', { exact: true }).fill('GREETER_SECRET');
  await form.getByLabel('Value 1', { exact: true }).fill(secret);
  await form.getByRole('button', { name: 'Add variable' }).click();
  await form.getByLabel('Name 2', { exact: true }).fill('GREETER_STARTS');
  await form.getByLabel('Value 2', { exact: true }).fill(starts);
  await expectNoFaultIn(page, 'server form');
  await form.getByRole('button', { name: 'Save' }).click();
  const uses = page.getByRole('switch', { name: 'Use the tools of Greeter' });
  expect(existsSync(starts)).toBe(false);
  const refused = await answering(first, 'No', () => uses.press('Space'));
  expect(refused.text).toContain('Start this program?');
  // The text has line breaks where a message box would break it.
  expect(refused.text.replaceAll('\n', '')).toContain(greeter);
  expect(refused.text).toContain('GREETER_SECRET');
  expect(refused.text).not.toContain(secret);
  await expect(page.getByRole('main')).toContainText('nobody said yes to it');
  await expect(uses).not.toBeChecked();
  await expect(uses).toBeFocused();
  expect(existsSync(starts)).toBe(false);
  await answering(
    first,
    'Start it',
    async () => {
      await uses.press('Space');
      if (first.main) return;
      await expect(page.getByRole('main')).toContainText('Until you say yes nothing runs.');
      await expectNoFaultIn(page, 'while a person is asked');
    },
    (question) => expectNoFaultIn(question, 'the question'),
  );
  const confirmation = page.getByRole('dialog', { name: 'Switch on Greeter?' });
  await expect(confirmation).toContainText('Greets somebody');
  await expectNoFaultIn(page, 'look at a server');
  await confirmation.getByRole('button', { name: 'Switch on' }).click();
  await expect(uses).toBeChecked();
  await page.getByRole('button', { name: 'Tools of Greeter' }).click();
  await expectNoFaultIn(page, 'tools');
  expect(await page.content()).not.toContain(secret);
  // The core stores the setup and is the same in both hosts, so one restart is enough.
  if (first.main) return;
  await first.close();

  const { page: again } = await launch();
  await again.getByRole('link', { name: 'Settings', exact: true }).click();
  await again.getByRole('link', { name: 'Tools', exact: true }).click();
  await expect(again.getByRole('switch', { name: 'Use the tools of Greeter' })).toBeChecked();
  await expect(again.getByRole('switch', { name: 'Calculator' })).toBeChecked();
  await again.setViewportSize({ width: 420, height: 900 });
  await expectNoFaultIn(again, 'tools, narrow');
});
