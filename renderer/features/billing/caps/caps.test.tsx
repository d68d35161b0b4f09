import '../../../ui/styles/theme.css';
// Imported here so that loading the page doesn't count against the first test's timeout.
import '../../settings/settings-page.tsx';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const main = page.getByRole('main');
const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => main.getByRole('textbox', { name, exact: true });
const model = 'anthropic/claude-opus-5';

test('caps are entered for periods and models, and an invalid amount is not saved', async () => {
  const fake = await openApp('#settings/caps');
  await field('A day (UTC), USD').fill('2');
  await field('A month (UTC), USD').fill('much');
  await expect.element(main).toMatchTextContent('An amount in dollars, such as 2.50');
  await expect.element(button('Save caps')).toBeDisabled();
  await field('A month (UTC), USD').fill('20.5');

  const id = main.getByRole('combobox', { name: 'Model', exact: true });
  await id.fill('anthropic/nobody');
  await expect.element(main).toMatchTextContent('No model of the catalogue has this id');
  await expect.element(button('Add a model')).toBeDisabled();
  await id.fill(model);
  await userEvent.keyboard('{Enter}');
  // A model without an amount can't be saved.
  await expect.element(button('Save caps')).toBeDisabled();
  await field(`${model}, a month (UTC), USD`).fill(' 1.25 ');
  await id.fill(model);
  await expect.element(main).toMatchTextContent('This model has a cap already');
  await button('Save caps').click();
  await expect.element(main).toMatchTextContent('Caps saved');
  expect(fake.composer.caps).toEqual({
    message: null,
    conversation: null,
    day: '2',
    month: '20.5',
    models: { [model]: '1.25' },
  });
  await expect
    .element(main.getByRole('list', { name: 'How full they are' }))
    .toMatchTextContent(/\+ 2 unknown of \$20\.5/);
  await expect.element(main).toMatchTextContent(/\+ 2 unknown spent so far/);
  await button(`Remove the cap of ${model}`).click();
  await button('Save caps').click();
  await expect.poll(() => fake.composer.caps.models).toEqual({});
});

test('unsaved caps are restored after leaving the page, and saved caps are loaded from the core again', async () => {
  const fake = await openApp('#settings/caps');
  const day = field('A day (UTC), USD');
  const away = async () => {
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await expect.element(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
  };
  await day.fill('2.5');
  await away();
  await button('Back').click();
  await expect.element(day).toHaveValue('2.5');
  await button('Save caps').click();
  await expect.element(main).toMatchTextContent('Caps saved');
  await away();
  fake.composer.caps = { ...fake.composer.caps, day: '3' };
  fake.changed('caps');
  await button('Back').click();
  await expect.element(day).toHaveValue('3');
});

test('limits set outside the app are shown until the caps replace them, and a failure to replace them is shown', async () => {
  const fake = await openApp('#settings/caps');
  await expect.element(button('Save caps')).toBeVisible();
  fake.composer.setOutside = [
    { scope: 'day', model: null, limitUsd: '5' },
    { scope: 'month', model: null, limitUsd: null },
    { scope: 'model', model, limitUsd: '3' },
  ];
  fake.changed('caps');
  const notice = page.getByText(
    /not by your caps: \$5\.00 a day \(UTC\), no limit a month, \$3\.00 a month \(UTC\) on anthropic\/claude-opus-5\.$/,
  );
  await expect.element(notice).toBeVisible();
  fake.fail('caps.takeOver', 'database_in_use', 'Another program has the ledger open.');
  await button('Use my caps instead').click();
  await expect.element(page.getByText('Your caps were not set').first()).toBeVisible();
  fake.fail('caps.takeOver', null);
  await button('Use my caps instead').click();
  await expect.element(notice).not.toBeInTheDocument();
});

test.each([
  [{ day: '5', month: '50' }, [], 'a day and a month'],
  [{ day: '5', month: '50' }, ['day'], 'a month'],
  [{ day: '5', month: '50' }, ['month'], 'a day'],
  [{ day: '5', month: '50' }, ['day', 'month'], null],
  [{ day: '5', month: null }, [], 'a day'],
  [{ day: null, month: '50' }, ['month'], null],
  [{ day: null, month: null }, [], null],
  [{ day: null, month: '50', models: { [model]: '2' } }, [], 'a month and single models'],
  [{ day: null, month: null, models: { [model]: '2' } }, ['month'], 'single models'],
  [{ day: '5', month: null, models: { [model]: '2' } }, ['model'], 'a day'],
  [{ day: null, month: null, models: { [model]: '2', 'openai/gpt-5': '2' } }, ['model'], 'single models'],
] as const)(
  'with the caps %j and outside limits for %j, the page names these caps as applying to other programs: %s',
  async (caps, outside, named) => {
    const fake = await openApp('#settings/caps');
    fake.composer.caps = Object.assign({ message: null, conversation: null, models: {} }, caps);
    fake.composer.setOutside = outside.map((scope) => ({
      scope,
      model: scope === 'model' ? model : null,
      limitUsd: '1',
    }));
    fake.changed('caps');
    if (outside.length > 0) await expect.element(page.getByText(/not by your caps:/)).toBeVisible();
    else if (caps.day ?? caps.month)
      await expect.element(main.getByRole('list', { name: 'How full they are' })).toBeVisible();
    const same = page.getByText(/The built-in gateway refuses other programs by your caps of (.+?) too, but/);
    if (named === null) await expect.element(same).not.toBeInTheDocument();
    else await expect.element(same).toMatchTextContent(`your caps of ${named} too`);
    await expect.element(main).toMatchTextContent('Day and month count the whole account that pays');
  },
);

test('while another server has the ledger open, the page shows only that the limits of other programs are unknown', async () => {
  const fake = await openApp('#settings/caps');
  fake.composer.caps = { message: null, conversation: null, day: '5', month: null, models: { [model]: '2' } };
  fake.composer.setOutside = null;
  fake.changed('caps');
  const notKnown = page.getByText(/^Another server has the ledger .+ is not known here\./);
  await expect.element(notKnown).toBeVisible();
  await expect
    .element(page.getByText(/refuses other programs by/).and(main.getByRole('paragraph')))
    .not.toBeInTheDocument();
  fake.composer.setOutside = [];
  fake.changed('caps');
  await expect
    .element(page.getByText(/refuses other programs by your caps of a day and single models too/))
    .toBeVisible();
  await expect.element(notKnown).not.toBeInTheDocument();
});

test('a message that may exceed the model’s cap is refused, stays in the composer, and can be sent anyway', async () => {
  const fake = await openApp('#chat');
  const before = fake.data.messages.length;
  const over = { model, capUsd: '1.25', spentUsd: '1.2', afterUsd: '1.31', state: 'over' as const };
  fake.composer.quote = { ...fake.composer.quote, caps: [{ scope: 'model', ...over }] };
  const sentence = 'Your cap for this model is $1.25, and this message may cost up to $0.11.';
  fake.fail('chat.send', 'cap_exceeded', sentence);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Is it worth it?');
  await expect
    .element(page.getByText(`Over your cap for ${model} this month (UTC): $1.31 of $1.25 with this message at most.`))
    .toBeVisible();
  await button('Send').click();
  await expect.element(page.getByRole('alert')).toMatchTextContent(sentence);
  await expect.element(message).toHaveValue('Is it worth it?');
  expect(fake.data.messages).toHaveLength(before);
  await button('Send once anyway').click();
  await expect.element(page.getByRole('article').filter({ hasText: 'Is it worth it?' })).toBeVisible();
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
});
