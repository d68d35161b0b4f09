import '../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeMessage } from '../../../tests/support/fake-data.ts';
import { closeApp, openApp, reload } from '../../../tests/support/open-app.tsx';

afterEach(closeApp);

const message = page.getByRole('textbox', { name: 'Message' });
const thread = page.getByRole('log', { name: 'Conversation' });
const send = page.getByRole('button', { name: 'Send', exact: true });
const stop = page.getByRole('button', { name: 'Stop', exact: true });
const manual = { answers: 'manual' } as const;
const sandbox = async () => {
  await page.getByRole('combobox', { name: 'Model' }).click();
  await page.getByRole('option', { name: /Sandbox Tour/ }).click();
};

test('a sent message gets a streamed answer with its exact cost below', async () => {
  const fake = await openApp('', {}, manual);
  await sandbox();
  await message.fill('What is a portico?');
  await send.click();
  await expect.element(thread.getByRole('article', { name: 'You' })).toMatchTextContent('What is a portico?');
  await expect.element(stop).toBeVisible();
  fake.write('A **porch** with');
  const answer = thread.getByRole('article', { name: 'Sandbox Tour' });
  await expect.element(answer).toMatchTextContent('A porch with');
  fake.write(' columns.');
  fake.finish();
  await expect.element(answer).toMatchTextContent('A porch with columns.');
  await expect.element(answer).toMatchTextContent('Simulated');
  await expect.element(answer).toMatchTextContent('$0.0001695');
  await expect.element(answer).toMatchTextContent('billed');
  await expect.element(page.getByRole('status', { name: 'Balance' })).toMatchTextContent('$9.9998305');
  await expect.element(send).toBeVisible();
});

test('Enter sends, Shift+Enter breaks the line, and Enter sends nothing while an input method composes a word', async () => {
  const fake = await openApp('', {}, manual);
  await message.fill('one');
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}two');
  await expect.element(message).toHaveValue('one\ntwo');
  const field = message.element();
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, isComposing: true }));
  expect(fake.calls).not.toContain('chat.send');
  await userEvent.keyboard('{Enter}');
  await expect.element(thread.getByRole('article', { name: 'You' })).toBeVisible();
  await expect.element(message).toHaveValue('');
});

test('Stop ends the answer and keeps the text that had arrived, with its cost', async () => {
  const fake = await openApp('#chat/c1', {}, manual);
  await message.fill('Count to a million');
  await send.click();
  await expect.element(stop).toBeVisible();
  fake.write('one two three');
  await expect.element(thread).toMatchTextContent('one two three');
  await stop.click();
  await expect.element(thread).toMatchTextContent('Stopped.');
  await expect.element(thread).toMatchTextContent('one two three');
  await expect.element(thread).toMatchTextContent('$0.0000421');
});

test('F6 moves the focus through the parts of the window, and Shift+F6 moves it back', async () => {
  await openApp('#chat/c1');
  await expect.element(thread).toBeVisible();
  await message.click();
  for (const part of [page.getByRole('complementary', { name: 'Sidebar' }), thread, message]) {
    await userEvent.keyboard('{F6}');
    await expect.element(part).toHaveFocus();
  }
  await userEvent.keyboard('{Shift>}{F6}{/Shift}');
  await expect.element(thread).toHaveFocus();
});

test('Escape first closes an open dialog or list, then stops the answer', async () => {
  const fake = await openApp('#chat/c1', {}, manual);
  await message.fill('Count');
  await send.click();
  await expect.element(stop).toBeVisible();
  for (const [key, open] of [
    ['{Control>}k{/Control}', page.getByRole('dialog')],
    ['{Control>}{Shift>}m{/Shift}{/Control}', page.getByRole('listbox')],
  ] as const) {
    await userEvent.keyboard(key);
    await expect.element(open).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await expect.element(open).not.toBeInTheDocument();
  }
  expect(fake.calls).not.toContain('chat.stop');
  await message.click();
  await userEvent.keyboard('{Escape}');
  await expect.element(thread).toMatchTextContent('Stopped.');
  expect(fake.calls).toContain('chat.stop');
});

test('a failed answer shows the reason and keeps its text, and Retry asks for another answer', async () => {
  const fake = await openApp('#chat/c1', {}, manual);
  await message.fill('Hello');
  await send.click();
  await expect.element(stop).toBeVisible();
  fake.write('Half an answ');
  fake.finish({
    status: 'error',
    finishReason: null,
    costUsd: null,
    costSource: 'unknown',
    finishedAt: Date.now(),
    error: {
      code: 'upstream_rate_limited',
      message: 'Anthropic asks to slow down.',
      provider: 'anthropic',
      retryAfterMs: 45_000,
    },
  });
  const alert = thread.getByRole('alert');
  await expect.element(alert).toMatchTextContent(/· Anthropic/);
  await expect.element(alert).toMatchTextContent(/Anthropic asks to slow down\. ?Try again in \d+ s\./);
  await expect.element(thread).toMatchTextContent('Half an answ');
  await expect.element(thread).toMatchTextContent('cost unknown');
  expect(thread.element().textContent).not.toContain('$0');
  await expect.element(alert.getByRole('button', { name: 'Copy details' })).toBeVisible();
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect.element(stop).toBeVisible();
  fake.write('A whole answer.');
  fake.finish();
  await expect.element(thread).toMatchTextContent('A whole answer.');
  await expect.element(thread).toMatchTextContent('Version 2 of 2');
  expect(fake.calls).toContain('chat.regenerate');
});

test('an answer that a spending limit stopped links to the settings of spending limits', async () => {
  const fake = await openApp('#chat/c1', {}, manual);
  await message.fill('Hello');
  await send.click();
  await expect.element(stop).toBeVisible();
  const error = { code: 'cap_exceeded', message: 'Your cap for a message is $0.01.', retryAfterMs: null };
  fake.finish({ status: 'error', finishReason: null, costUsd: null, costSource: 'unknown', error });
  const alert = thread.getByRole('alert');
  await expect.element(alert).toMatchTextContent('Change the cap in Settings, or choose a cheaper model.');
  await alert.getByRole('link', { name: 'Change caps' }).click();
  await expect.element(page.getByRole('textbox', { name: 'A message, USD' })).toBeVisible();
});

test('a message that could not be sent returns to the composer', async () => {
  const fake = await openApp('', {}, manual);
  fake.fail('chat.send', 'insufficient_credits', 'The balance does not cover this message.');
  await message.fill('Do not lose me');
  await send.click();
  await expect.element(page.getByRole('alert')).toMatchTextContent('The balance does not cover this message.');
  await expect.element(message).toHaveValue('Do not lose me');
});

test('each conversation keeps its own draft across a reload', async () => {
  const fake = await openApp('#chat/c0', {}, manual);
  await message.fill('for the first');
  await page.getByRole('link', { name: 'Explain WAL checkpoints in SQLite' }).click();
  await expect.element(message).toHaveValue('');
  await message.fill('for the second');
  await reload(fake, '#chat/c0');
  await expect.element(message).toHaveValue('for the first');
});

test('an answer continues to stream after the page is reloaded in the middle of it', async () => {
  const fake = await openApp('#chat/c1', {}, manual);
  await message.fill('Tell me');
  await send.click();
  await expect.element(stop).toBeVisible();
  fake.write('The first half');
  await reload(fake, '#chat/c1');
  await expect.element(thread).toMatchTextContent('The first half');
  fake.write(' and the second.');
  fake.finish();
  await expect.element(thread).toMatchTextContent('The first half and the second.');
  await expect.element(send).toBeVisible();
});

test('a stream that reconnects neither loses nor repeats a word', async () => {
  const fake = await openApp('#chat/c1', {}, manual);
  await message.fill('Tell me');
  await send.click();
  await expect.element(stop).toBeVisible();
  fake.write('one ');
  await expect.element(thread).toMatchTextContent('one');
  fake.cut();
  fake.write('two ');
  fake.write('three');
  await expect.element(thread.getByRole('article').last()).toMatchTextContent('one two three');
  fake.finish();
  await expect.element(send).toBeVisible();
});

test('hostile Markdown in an answer creates no script, no embedded element and no unsafe link', async () => {
  const fake = await openApp('#chat/c1', {}, manual);
  await message.fill('Attack');
  await send.click();
  await expect.element(stop).toBeVisible();
  fake.write(
    '<img src=x onerror=alert(1)> <script>alert(1)</script>\n\n<iframe src="https://evil.example"></iframe>\n\n[a](javascript:alert(1)) [b](data:text/html,x) ![i](https://evil.example/p.png) <javascript:alert(1)>\n\n[c](  jav\tascript:alert(1)) [d](//evil.example) <https://ok.example>\n\n```"><img src=x>\ncode\n```\n\nend of attack',
  );
  fake.finish();
  await expect.element(thread.getByText('end of attack', { exact: true })).toBeVisible();
  const answer = thread.element();
  expect(
    answer.querySelectorAll('.prose :is(img, script, iframe, style, link, meta, object, embed, form)').length,
  ).toBe(0);
  await expect.element(thread.getByRole('link', { name: 'https://ok.example' })).toBeVisible();
  const schemes = [...answer.querySelectorAll('a')].map((link) => link.protocol);
  expect(schemes.filter((scheme) => scheme !== 'https:')).toEqual([]);
});

test('a link in an answer is opened by the core, never in the window itself', async () => {
  const fake = await openApp('#chat/c0');
  await thread.getByRole('link', { name: 'Redis documentation' }).click();
  await expect.poll(() => fake.data.opened).toEqual(['https://redis.io/docs/latest/']);
  expect(location.hash).toBe('#chat/c0');
});

test('a message that cannot be rendered is replaced by a notice, and the other messages and the composer still work', async () => {
  // This time is beyond the largest date that JavaScript can represent, so formatting it throws.
  const broken = { id: 'broken', parentId: 'm0', role: 'assistant', createdAt: 8_640_000_000_000_001 } as const;
  const messages = [
    fakeMessage({ id: 'm0', conversationId: 'c2', text: 'Before' }),
    fakeMessage({ ...broken, conversationId: 'c2', text: 'Unseen' }),
    fakeMessage({ id: 'm1', conversationId: 'c2', parentId: 'broken', text: 'After' }),
  ];
  const fake = await openApp('#chat/c2', { messages }, manual);
  await expect.element(thread.getByRole('alert')).toMatchTextContent('could not be shown');
  await expect.element(thread.getByText('Before', { exact: true })).toBeVisible();
  await expect.element(thread.getByText('After', { exact: true })).toBeVisible();
  await message.fill('Go on');
  await send.click();
  fake.write('Gladly.');
  fake.finish();
  await expect.element(thread).toMatchTextContent('Gladly.');
});

test('a conversation shows that it is loading, shows an error when loading fails, and loads on Retry', async () => {
  const fake = await openApp('#usage');
  fake.hold('chat.watch', true);
  await page.getByRole('link', { name: 'Streaming rate limiter across gateway nodes' }).click();
  await expect.element(page.getByRole('status', { name: 'Loading the conversation' })).toBeVisible();
  fake.fail('chat.watch', 'internal_error', 'The database is busy.');
  fake.hold('chat.watch', false);
  await expect.element(page.getByRole('alert')).toMatchTextContent('The database is busy.');
  fake.fail('chat.watch', null);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect.element(thread.getByRole('article', { name: 'Claude Opus 5' })).toBeVisible();
});

test('an answer that ends while its conversation is first loading is shown completely', async () => {
  const fake = await openApp('', {}, manual);
  fake.hold('chat.watch', 'answered');
  await message.fill('Quick');
  await send.click();
  await expect.poll(() => fake.calls.filter((call) => call === 'chat.watch').length).toBe(1);
  fake.write('All of it.');
  fake.finish();
  // The window knows that the answer ended, but can't refetch it because the conversation is still loading.
  await expect.poll(() => fake.calls.filter((call) => call === 'account.wallets').length).toBe(2);
  fake.hold('chat.watch', false);
  await expect.element(thread).toMatchTextContent('All of it.');
  await expect.element(thread.getByRole('button', { name: 'Regenerate' })).toBeVisible();
});

test('sending a message in one chat does not change the scroll position of another', async () => {
  const messages = Array.from({ length: 30 }, (_, index) =>
    fakeMessage({
      id: `m${index}`,
      conversationId: 'c2',
      parentId: index === 0 ? null : `m${index - 1}`,
      text: `Message ${index}`,
    }),
  );
  const fake = await openApp(
    '#chat/c1',
    { messages, scrollPositions: { c2: { messageId: 'm3', offsetPx: 0 } } },
    manual,
  );
  await message.fill('Hello');
  await send.click();
  await expect.element(thread).toMatchTextContent('Hello');
  fake.finish();
  location.hash = '#chat/c2';
  await expect.element(thread.getByText('Message 3', { exact: true })).toBeInViewport();
  await expect.element(thread.getByText('Message 29', { exact: true })).not.toBeInViewport();
});
