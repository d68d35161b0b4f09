/** A picture of a request: its size in pixels, null where its first bytes don't say it, as of one that is named by its address. */
export interface Picture {
  readonly width: number | null;
  readonly height: number | null;
  /** It was asked for in few tokens (`detail: "low"`). */
  readonly isLow: boolean;
}

type Named = { readonly provider: string; readonly model: string };

/** Of a picture whose size isn't known: larger ones are refused or scaled down. */
const largestSide = 8_000;

/**
 * The most tokens that a vendor counts for a picture, by its own published rule. Where a rule depends on settings that the
 * gateway doesn't see, the dearest of them holds.
 */
export function maxPictureTokens({ width, height, isLow }: Picture, model: Named): number {
  const [wide, high] = [width ?? largestSide, height ?? largestSide];
  switch (model.provider) {
    case 'openai':
    case 'azure-openai':
      return openAi(wide, high, isLow, model.model);
    case 'anthropic':
      return anthropic(wide, high);
    case 'google':
      return google(wide, high);
    default:
      return others(wide, high);
  }
}

const patches = (wide: number, high: number, side: number) => Math.ceil(wide / side) * Math.ceil(high / side);

/** https://developers.openai.com/api/docs/guides/images-vision: tiles of 512 pixels, or patches of 32 times a factor. */
function openAi(wide: number, high: number, isLow: boolean, model: string): number {
  const tiles = isLow ? 0 : openAiTiles(wide, high);
  if (model.startsWith('gpt-4o-mini')) return 2_833 + 5_667 * tiles;
  if (tiledOnly.test(model)) return 85 + 170 * tiles;
  // The factors are 1.62 to 1.72 for the mini models and 2.46 for the nano ones; "original" keeps 10,000 patches.
  const factor = model.includes('nano') ? 2.46 : 1.72;
  const byPatches = Math.ceil(Math.min(patches(wide, high, 32), 10_000) * factor);
  return Math.max(85 + 170 * tiles, byPatches);
}

/** Models of which it is documented that they count tiles; of others nobody should have to keep a list. */
const tiledOnly = /^(?:gpt-4o|gpt-4\.1(?!-mini|-nano)|o1|o3)(?:-|$)/;

/** Scaled to fit 2,048 pixels, then to 768 on the short side. */
function openAiTiles(wide: number, high: number): number {
  const fit = Math.min(1, 2_048 / Math.max(wide, high));
  const short = Math.min(1, 768 / (Math.min(wide, high) * fit));
  return patches(wide * fit * short, high * fit * short, 512);
}

/**
 * https://platform.claude.com/docs/en/build-with-claude/vision: pixels / 750, after scaling down to 1,600 tokens, or to
 * 4,784 from Claude Opus 4.7 on.
 */
const anthropic = (wide: number, high: number) => Math.min(4_784, Math.max(1, patches(wide, high, 27)));

/**
 * https://ai.google.dev/gemini-api/docs/tokens and /media-resolution: Gemini 2 counts 258 for each tile of 256 to 768 pixels,
 * Gemini 3 up to 1,120, and 2,240 in its highest resolution.
 */
function google(wide: number, high: number): number {
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(wide, high) / 1.5)));
  const tiles = wide <= 384 && high <= 384 ? 1 : patches(wide, high, side);
  return Math.max(2_240, 258 * tiles);
}

/** Of servers whose rule nobody knows: patches of 14 pixels are the smallest that are in use. */
const others = (wide: number, high: number) => Math.min(65_536, 1_024 + patches(wide, high, 14));
