import type { testCore } from './test-core.ts';

/** Uploads a file for an import, piece by piece. Returns its id. */
export async function uploaded(
  to: Awaited<ReturnType<typeof testCore>>,
  file: string | Buffer,
  pieceBytes = 50_000,
): Promise<string> {
  const { uploadId } = await to.client.transfer.beginImport();
  const bytes = Buffer.from(file);
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
    const base64 = bytes.subarray(offset, offset + pieceBytes).toString('base64');
    await to.client.transfer.appendImport({ uploadId, offset, base64 });
  }
  return uploadId;
}
