import { expect, test } from 'vitest';
import { exactText, spacedJson } from '../message/answer-sections.tsx';

test('invisible characters are spelled out, and visible ones stay as they are', () => {
  expect(exactText('rm \u202egnp.exe\u200b\u{e0041}')).toBe('rm \\u{202e}gnp.exe\\u{200b}\\u{e0041}');
  expect(exactText('Grüße, 世界 👋\n\tok')).toBe('Grüße, 世界 👋\n\tok');
});

test('JSON is formatted only if that loses nothing', () => {
  expect(spacedJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  for (const text of ['{"a":12345678901234567890}', '{"a":1,"a":2}', '{"a":', 'words'])
    expect(spacedJson(text)).toBe(text);
});
