import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';
import { firstChunkName } from './first-chunk.ts';

const compressible = /\.(?:js|css|html|svg|json|ttf)$/;
const worthIt = 1024;
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/**
 * Adds a compressed copy of each text file of the page, so that the web host can send what a browser accepts. The files
 * that are loaded first are compressed as well as possible. The others, most of which are rarely loaded, are compressed
 * in a twentieth of that time.
 */
export function compressedAssets(): Plugin {
  return {
    name: 'portico:compressed-assets',
    applyToEnvironment: (environment) => environment.name === 'client',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const compress = async (name: string, content: Buffer, isFirst: boolean) => {
          const quality = isFirst || name.endsWith('.css') ? 11 : 9;
          const params = {
            [constants.BROTLI_PARAM_QUALITY]: quality,
            [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
            [constants.BROTLI_PARAM_LGBLOCK]: constants.BROTLI_MAX_INPUT_BLOCK_BITS,
          };
          this.emitFile({ type: 'asset', fileName: `${name}.br`, source: await brotli(content, { params }) });
          this.emitFile({ type: 'asset', fileName: `${name}.gz`, source: await zip(content) });
        };
        const files = Object.values(bundle).map(
          (file) =>
            [
              file.fileName,
              Buffer.from(file.type === 'chunk' ? file.code : file.source),
              file.type === 'chunk' && file.name === firstChunkName,
            ] as const,
        );
        await Promise.all(
          files
            .filter(([name, content]) => compressible.test(name) && content.length >= worthIt)
            .map((file) => compress(...file)),
        );
      },
    },
  };
}
