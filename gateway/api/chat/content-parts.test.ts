import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBase64, parseDataUrl } from '../../providers/content/data-url.ts';
import { preparedParts } from './read-chat-request.ts';

const data = (type: string, bytes: string | Buffer) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const toPng = (more: number) =>
  data('image/png', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(more)]));
const png = toPng(0);
const image = (url: string) => ({ type: 'image_url' as const, image_url: { url, detail: undefined } });
const sound = (data: string) => ({ type: 'input_audio' as const, input_audio: { data, format: 'wav' as const } });
const file = (file_data: string | undefined, more = {}) => ({
  type: 'file' as const,
  file: { filename: 'a', file_id: undefined, file_data, ...more },
});

describe('attached content', () => {
  test.each([
    ['an image whose bytes match its type', image(png)],
    ['the address of an image', image('https://a.example/x.png')],
    ['a PDF', file(data('application/pdf', '%PDF-1.7'))],
    ['audio', sound('AAAA')],
  ])('%s passes unchanged', (_name, part) => {
    expect(preparedParts([part], 'files')).toEqual([part]);
  });

  test.each(['image/jpg', 'image/gif', 'image/x-png', 'application/octet-stream'])(
    'an image that is called %s gets the type of its bytes',
    (type) => {
      const called = image(png.replace('image/png', type));
      expect(preparedParts([called], 'files')).toEqual([image(png)]);
    },
  );

  test.each(['application/x-pdf', 'application/octet-stream', 'binary/octet-stream'])(
    'a PDF that is called %s gets the type of its bytes',
    (type) => {
      const pdf = file(data('application/pdf', '%PDF-1.7'));
      expect(preparedParts([file(data(type, '%PDF-1.7'))], 'files')).toEqual([pdf]);
    },
  );

  test.each(['text/plain', 'text/csv', 'application/json'])('%s becomes text', (type) => {
    expect(preparedParts([file(data(type, 'a;b'))], 'files')).toEqual([{ type: 'text', text: 'File "a":\n\na;b' }]);
  });

  test.each([
    ['an image of unknown bytes', image(data('image/png', 'hello')), 'invalid_image', 'files[0].image_url.url'],
    ['a PDF as an image', image(data('application/pdf', '%PDF-1.7')), 'invalid_image', 'files[0].image_url.url'],
    ['an image type that no model reads', image(data('image/tiff', 'x')), 'invalid_image', 'files[0].image_url.url'],
    ['an address on this machine', image('file:///etc/passwd'), 'invalid_image', 'files[0].image_url.url'],
    ['broken base64', image('data:image/png;base64,%%%'), 'invalid_image', 'files[0].image_url.url'],
    [
      'a PDF whose bytes are not a PDF',
      file(data('application/pdf', 'hello')),
      'invalid_file',
      'files[0].file.file_data',
    ],
    ['an image as a file', file(png), 'invalid_file', 'files[0].file.file_data'],
    ['a program', file(data('application/x-executable', 'x')), 'invalid_file', 'files[0].file.file_data'],
    ['a file without data', file(undefined), 'missing_required_parameter', 'files[0].file.file_data'],
    ['the id of a stored file', file(undefined, { file_id: 'f' }), 'unsupported_file_id', 'files[0].file.file_id'],
    ['an image that is too large', image(toPng(10_500_000)), 'request_too_large', 'files[0].image_url.url'],
    ['audio that is too large', sound('A'.repeat(14_000_000)), 'request_too_large', 'files[0].input_audio.data'],
    ['audio that is not base64', sound('a wave'), 'invalid_file', 'files[0].input_audio.data'],
    [
      'a text file that is too large',
      file(data('text/plain', 'x'.repeat(11_000_000))),
      'request_too_large',
      'files[0].file.file_data',
    ],
  ])('%s is refused, and the error names its place', (_name, part, code, param) => {
    expect(() => preparedParts([part], 'files')).toThrow(expect.objectContaining({ code, param }));
  });
});

test('base64 is accepted in the form that Node writes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      const base64 = Buffer.from(bytes).toString('base64');
      expect(isBase64(base64)).toBe(true);
      expect(isBase64(`${base64.slice(0, -1)}!`)).toBe(false);
      expect(parseDataUrl(`data:text/plain;charset=utf-8;base64,${base64}`)?.base64).toBe(base64);
    }),
  );
});
