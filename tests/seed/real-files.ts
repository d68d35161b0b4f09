import { crc32, deflateSync } from 'node:zlib';
import type { Random } from './random.ts';

/** Makes a bar chart as a PNG that every viewer opens. */
export function chartPng(random: Random): Buffer {
  const [width, height] = [320, 180];
  const hue = random.pick(palette);
  const bars = Array.from({ length: 8 }, () => random.between(20, height - 30));
  const rows = Buffer.alloc((width * 3 + 1) * height, 255);
  for (let y = 0; y < height; y++) {
    rows[y * (width * 3 + 1)] = 0;
    for (let x = 0; x < width; x++) {
      const bar = bars[Math.floor((x - 20) / 36)] ?? 0;
      const inBar = x >= 20 && (x - 20) % 36 < 24 && y > height - 12 - bar && y < height - 12;
      const axis = y === height - 12;
      const colour = inBar ? hue : axis ? ([90, 90, 98] as const) : null;
      if (colour) rows.set(colour, y * (width * 3 + 1) + 1 + x * 3);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits each for red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const end = Buffer.alloc(0);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', end)]);
}

const palette = [
  [37, 99, 235],
  [22, 163, 74],
  [217, 119, 6],
  [147, 51, 234],
] as const;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Makes a PDF with these lines of text on one A4 page, which every reader opens. */
export function pagePdf(lines: readonly string[]): Buffer {
  const shown = lines.map((line) => `(${line.replace(/[^\x20-\x7e]/g, '-').replace(/[\\()]/g, '\\$&')}) Tj T*`);
  const content = `BT /F1 12 Tf 16 TL 56 780 Td\n${shown.join('\n')}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + end, 'latin1');
}
