import { describe, expect, test } from 'vitest';
import { maxInputTokens, measureInput, sizeOfDataUrl } from './input-size.ts';
import { pictureSize } from './picture-size.ts';

const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
const gif = (width: number, height: number) => {
  const bytes = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
};
const jpeg = (width: number, height: number, preview = 20) => {
  const segment = Buffer.alloc(preview + 4);
  segment.writeUInt16BE(0xffe1);
  segment.writeUInt16BE(preview + 2, 2);
  const size = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  size.writeUInt16BE(height, 5);
  size.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), segment, size]);
};
const webp = (width: number, height: number) => {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF....WEBPVP8X', 'latin1');
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
};

describe('the size of a picture', () => {
  test.each([
    ['PNG', png],
    ['GIF', gif],
    ['JPEG', jpeg],
    ['WebP', webp],
  ] as const)('the size is read from the first bytes of a %s', (_kind, encode) => {
    expect(pictureSize(encode(1_200, 800))).toEqual({ width: 1_200, height: 800 });
  });

  test('the size is found behind a preview of 60 KB', () => {
    const url = `data:image/jpeg;base64,${jpeg(4_000, 3_000, 60_000).toString('base64')}`;
    expect(sizeOfDataUrl(url)).toEqual({ width: 4_000, height: 3_000 });
  });

  test.each([
    Buffer.alloc(0),
    Buffer.from('GIF89a'),
    Buffer.from([0xff, 0xd8, 0xff]),
    png(0, 5),
    Buffer.alloc(64, 0xff),
  ])('the size is null for broken bytes', (bytes) => {
    expect(pictureSize(bytes)).toBeNull();
  });
});

describe('the maximum tokens of a picture', () => {
  const counted = (provider: string, model: string, width: number, height: number, detail?: 'low') => {
    const url = `data:image/png;base64,${png(width, height).toString('base64')}`;
    const content = [{ type: 'image_url' as const, image_url: { url, detail } }];
    const size = measureInput({ messages: [{ role: 'user', content, name: undefined }], parameters: {} });
    return maxInputTokens(size, { provider, model, contextLength: null });
  };

  // These are the counts that the vendors document for these sizes.
  test.each([
    ['openai', 'gpt-4o', 1_024, 1_024, 765],
    ['openai', 'gpt-4o', 2_048, 4_096, 1_105],
    ['openai', 'gpt-4o-mini', 1_024, 1_024, 25_501],
    ['openai', 'gpt-4.1-mini', 1_024, 1_024, 1_659],
    ['anthropic', 'claude-sonnet-4-5', 1_000, 1_000, 1_334],
    ['anthropic', 'claude-opus-4-7', 2_576, 2_576, 4_784],
    ['google', 'gemini-2.5-flash', 960, 540, 1_548],
    ['google', 'gemini-3.6-flash', 4_000, 3_000, 1_120],
  ])(
    'the maximum tokens are never below what %s counts with %s for %d × %d',
    (provider, model, width, height, tokens) => {
      expect(counted(provider, model, width, height)).toBeGreaterThanOrEqual(tokens);
      expect(counted(provider, model, width, height)).toBeLessThan(tokens * 8 + 100);
    },
  );

  test('the maximum tokens stay low when the caller asks for low detail', () => {
    expect(counted('openai', 'gpt-4o-mini', 4_000, 3_000, 'low')).toBeLessThan(3_000);
  });
});
