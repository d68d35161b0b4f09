import type { Attachment } from '#shared/contract/common/attachments.ts';

/** Stores an image under a name; throws `attachment_refused` where it is none. */
export type KeepImage = (name: string, bytes: Buffer) => Promise<Attachment>;

const data = /^data:image\/([\w.+-]+);base64,/i;

/** Stores the images of an answer that has some already. `named`: text that refers to those which only their address was told of. */
export async function keptImages(
  keep: KeepImage,
  urls: readonly string[],
  before: number,
): Promise<{ kept: Attachment[]; named: string }> {
  const kept: Attachment[] = [];
  let named = '';
  for (const url of urls) {
    const type = data.exec(url.slice(0, 100));
    const number = before + kept.length + 1;
    if (type) {
      const extension = type[1]?.toLowerCase().replace('jpeg', 'jpg').replace(/\W.*/, '');
      kept.push(await keep(`image-${number}.${extension}`, Buffer.from(url.slice(type[0].length), 'base64')));
    } else if (/^https:\/\/[^\s<>]+$/.test(url)) named += `\n\n![image-${number}](<${url}>)\n\n`;
  }
  return { kept, named };
}
