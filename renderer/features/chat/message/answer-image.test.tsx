import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeData } from '../../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const chip = page.getByRole('button', { name: 'Show picture: A harbour (pictures.example)' });
const shown = page.getByRole('dialog', { name: 'A harbour' });

const openWithPicture = () =>
  openApp('#chat/c0', {
    messages: fakeData().messages.map((message) =>
      message.role === 'assistant'
        ? { ...message, text: 'See ![A harbour](https://pictures.example/h.png).' }
        : message,
    ),
  });

test('a picture linked in an answer is fetched by the core only when the user opens it', async () => {
  const fake = await openWithPicture();
  await expect.element(chip).toBeVisible();
  expect(fake.calls).not.toContain('images.fetch');
  chip.element().focus();
  await userEvent.keyboard('{Enter}');
  const picture = shown.getByRole('img', { name: 'A harbour' });
  await expect.element(picture).toHaveAttribute('src', expect.stringMatching(/^blob:/));
  await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBe(1);
  await expect.element(shown).toMatchTextContent('pictures.example');
  await shown.getByRole('button', { name: 'Open in browser' }).click();
  await expect.poll(() => fake.calls).toContain('app.openLink');
  await userEvent.keyboard('{Escape}');
  await expect.element(shown).not.toBeInTheDocument();
  await expect.element(chip).toHaveFocus();
});

test('a picture that cannot be shown explains why, and offers Retry and Open in browser', async () => {
  const fake = await openWithPicture();
  fake.fail('images.fetch', 'file_download_failed', 'The picture is not shown: it is no picture.');
  await chip.click();
  await expect.element(shown.getByRole('alert')).toMatchTextContent('it is no picture.');
  await expect.element(shown.getByRole('button', { name: 'Open in browser' })).toBeVisible();
  fake.fail('images.fetch', null);
  await shown.getByRole('button', { name: 'Retry' }).click();
  await expect.element(shown.getByRole('img', { name: 'A harbour' })).toBeVisible();
});

test('the viewer moves on to the other pictures of an answer, and asks before it contacts another server', async () => {
  const fake = await openApp('#chat/c0', {
    messages: fakeData().messages.map((message) =>
      message.role === 'assistant'
        ? {
            ...message,
            text: [
              'See ![A harbour](https://pictures.example/h.png) and [![a badge](https://badges.example/b.png)](https://a.example).',
              '- ![A ship](https://pictures.example/s.png)\n',
              '| one |\n| - |\n| ![A buoy](https://elsewhere.example/b.png) |',
            ].join('\n\n'),
          }
        : message,
    ),
  });
  const fetched = () => fake.calls.filter((call) => call === 'images.fetch').length;
  await chip.click();
  await expect.element(shown.getByRole('status').filter({ hasText: 'of 3' })).toMatchTextContent('1 of 3');
  await userEvent.keyboard('{ArrowRight}');
  const ship = page.getByRole('dialog', { name: 'A ship' });
  await expect.element(ship.getByRole('img', { name: 'A ship' })).toBeVisible();
  expect(fetched()).toBe(2);
  await ship.getByRole('button', { name: 'Next', exact: true }).click();
  const buoy = page.getByRole('dialog', { name: 'A buoy' });
  const yes = buoy.getByRole('button', { name: 'Show picture: A buoy (elsewhere.example)' });
  await expect.element(yes).toBeVisible();
  expect(fetched()).toBe(2);
  await yes.click();
  await expect.element(buoy.getByRole('img', { name: 'A buoy' })).toBeVisible();
  await userEvent.keyboard('{ArrowRight}');
  await expect.element(shown.getByRole('img', { name: 'A harbour' })).toBeVisible();
});
