import { crc32, deflateSync } from 'node:zlib';
import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { bytesOfWords } from './bytes-of-words.ts';
import type { Script } from './player.ts';

/** Pixels on a side. */
const size = 512;
const shapes = 7;

/** An answer with a picture that is made from the question: the same words get the same shapes and colours. */
export function painterScript(question: string, messages: readonly ChatMessage[]): Script {
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  const seen = Array.isArray(last) ? last.filter(({ type }) => type === 'image_url').length : 0;
  const pictures = seen === 1 ? 'one picture' : `${seen} pictures`;
  const begun = seen === 0 ? '' : ` It had ${pictures} to begin with.`;
  const text = `This picture is simulated: its shapes and colours come from the words of the question.${begun}`;
  const url = `data:image/png;base64,${picture(question).toString('base64')}`;
  return { reasoning: '', text, toolCall: null, finish: 'stop', cutAt: null, images: [{ type: 'image', url }] };
}

/** A line of pixels begins with a byte for its filter: none. */
const lineBytes = 1 + size * 3;

/** A PNG of circles before a background, by the digest of some words. */
function picture(words: string): Buffer {
  const digest = bytesOfWords(words, 3 + shapes * 6);
  const pixels = Buffer.alloc(size * lineBytes);
  /** Colours some pixels of a line, `colour` being where its three bytes stand in the digest. */
  const paint = (line: number, from: number, to: number, colour: number) => {
    const begin = line * lineBytes + 1;
    pixels.fill(digest.subarray(colour, colour + 3), begin + Math.max(from, 0) * 3, begin + Math.min(to, size) * 3);
  };
  for (let line = 0; line < size; line += 1) paint(line, 0, size, 0);
  for (let at = 3; at < digest.length; at += 6) {
    const [left = 0, top = 0, width = 0] = digest.subarray(at, at + 3);
    const radius = 24 + width / 2;
    for (let line = 0; line < size; line += 1) {
      const half = Math.floor(Math.sqrt(radius ** 2 - (line - top * 2) ** 2));
      if (half > 0) paint(line, left * 2 - half, left * 2 + half, at + 3);
    }
  }
  return png(pixels);
}

/** Eight bits a channel, red, green and blue (https://www.w3.org/TR/png-3/). */
function png(pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND')]);
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(typed.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(typed, 4);
  whole.writeUInt32BE(crc32(typed), typed.length + 4);
  return whole;
}
