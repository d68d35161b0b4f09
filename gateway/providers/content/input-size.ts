import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { fileTokens } from './estimate-tokens.ts';
import { type PixelSize, pictureHeadBytes, pictureSize } from './picture-size.ts';

/**
 * A picture of a request with its size in pixels. The size is null if the picture's first bytes don't contain it, or if
 * the picture is given by its URL.
 */
interface Picture {
  readonly width: number | null;
  readonly height: number | null;
  /** The caller asks for few tokens (`detail: "low"`). */
  readonly isLow: boolean;
}

type Named = { readonly provider: string; readonly model: string };

/** Assumed for a picture of unknown size. Vendors refuse larger pictures or scale them down. */
const largestSide = 8_000;

/**
 * Returns the maximum number of tokens that a vendor counts for a picture, by its published rule. If the rule depends
 * on settings that the gateway doesn't see, the most expensive setting applies.
 */
function maxPictureTokens({ width, height, isLow }: Picture, model: Named): number {
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

/**
 * OpenAI counts tiles of 512 pixels, or patches of 32 pixels times a factor
 * (https://developers.openai.com/api/docs/guides/images-vision).
 */
function openAi(wide: number, high: number, isLow: boolean, model: string): number {
  const tiles = isLow ? 0 : openAiTiles(wide, high);
  if (model.startsWith('gpt-4o-mini')) return 2_833 + 5_667 * tiles;
  if (tiledOnly.test(model)) return 85 + 170 * tiles;
  // The factor is 1.62 to 1.72 for the mini models and 2.46 for the nano models. The detail "original" keeps 10,000
  // patches.
  const factor = model.includes('nano') ? 2.46 : 1.72;
  const byPatches = Math.ceil(Math.min(patches(wide, high, 32), 10_000) * factor);
  return Math.max(85 + 170 * tiles, byPatches);
}

/**
 * Models that are documented to count tiles. For all others the higher count of both rules applies, which saves keeping
 * a list of them.
 */
const tiledOnly = /^(?:gpt-4o|gpt-4\.1(?!-mini|-nano)|o1|o3)(?:-|$)/;

/** OpenAI scales a picture to fit 2,048 pixels, then to 768 on the short side. */
function openAiTiles(wide: number, high: number): number {
  const fit = Math.min(1, 2_048 / Math.max(wide, high));
  const short = Math.min(1, 768 / (Math.min(wide, high) * fit));
  return patches(wide * fit * short, high * fit * short, 512);
}

/**
 * Anthropic counts pixels / 750, after scaling down to 1,600 tokens, or to 4,784 from Claude Opus 4.7 on
 * (https://platform.claude.com/docs/en/build-with-claude/vision).
 */
const anthropic = (wide: number, high: number) => Math.min(4_784, Math.max(1, patches(wide, high, 27)));

/**
 * Gemini 2 counts 258 tokens for each tile of 256 to 768 pixels. Gemini 3 counts up to 1,120 for a picture, and 2,240
 * at its highest resolution (https://ai.google.dev/gemini-api/docs/tokens and /media-resolution).
 */
function google(wide: number, high: number): number {
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(wide, high) / 1.5)));
  const tiles = wide <= 384 && high <= 384 ? 1 : patches(wide, high, side);
  return Math.max(2_240, 258 * tiles);
}

/** The rule for servers that don't publish one: patches of 14 pixels are the smallest in use. */
const others = (wide: number, high: number) => Math.min(65_536, 1_024 + patches(wide, high, 14));

/** The maximum size of a request's input. It has only plain values, because threads pass it to each other. */
export interface InputSize {
  /** One token for each byte, which no tokenizer exceeds, and what vendors add around messages and tools. */
  readonly textTokens: number;
  readonly pictures: readonly Picture[];
  /** Tokens of files and speech; null if there are none. */
  readonly fileTokens: number | null;
  /** The model reads the whole input as one prompt, so the input can't exceed its context. */
  readonly isOnePrompt: boolean;
}

interface Input {
  readonly messages: readonly ChatMessage[];
  readonly parameters: {
    readonly tools?: readonly object[] | undefined;
    readonly response_format?: object | undefined;
  };
}

/** Tokens for the marks around a message or a part: its role and its ends. */
const frameTokens = 8;
/**
 * Tokens of hidden instructions. Anthropic adds up to 804 if there are tools; vendors outside the list below add some
 * hundred to each request.
 */
const instructionTokens = { always: 16, ofOthers: 256, forTools: 1_024 };
/** Vendors whose own instructions are known to be short. */
const shortInstructions: ReadonlySet<string> = new Set(['openai', 'azure-openai', 'anthropic', 'google', 'sandbox']);

export function measureInput({ messages, parameters }: Input): InputSize {
  const measure = new Measure();
  for (const message of messages) measure.add(message);
  const { tools, response_format: format } = parameters;
  if (tools?.length) measure.textTokens += instructionTokens.forTools;
  measure.addJson(tools);
  measure.addJson(format);
  const { textTokens, pictures, hasFiles } = measure;
  return { textTokens, pictures, fileTokens: hasFiles ? measure.fileTokens : null, isOnePrompt: true };
}

/**
 * Adds up everything in a request, whatever its fields are called, because it's unknown which fields a server reads.
 */
class Measure {
  textTokens = 0;
  pictures: Picture[] = [];
  fileTokens = 0;
  hasFiles = false;

  add(value: unknown): void {
    if (typeof value === 'string') this.textTokens += Buffer.byteLength(value);
    else if (typeof value === 'number') this.textTokens += String(value).length;
    else if (typeof value === 'boolean') this.textTokens += 1;
    else if (Array.isArray(value)) for (const item of value) this.add(item);
    else if (typeof value === 'object' && value !== null) this.#addObject(value);
  }

  /** Tools and formats reach the model as JSON, so the names of their fields count too. */
  addJson(value: object | undefined): void {
    if (value !== undefined) this.textTokens += Buffer.byteLength(JSON.stringify(value));
  }

  #addObject(value: object): void {
    this.textTokens += frameTokens;
    for (const [name, content] of Object.entries(value)) {
      if (content === undefined || content === null) continue;
      if (typeof content === 'string' && this.#addMedia(name, content, value)) continue;
      this.add(content);
    }
  }

  /** Adds `image_url.url`, `file.file_data` or `input_audio.data` of a content part; false for any other field. */
  #addMedia(name: string, content: string, holder: object): boolean {
    if (name === 'url' && !('type' in holder)) {
      this.pictures.push({
        ...(sizeOfDataUrl(content) ?? { width: null, height: null }),
        isLow: 'detail' in holder && holder.detail === 'low',
      });
      return true;
    }
    const isFile = name === 'file_data';
    if (!isFile && !(name === 'data' && 'format' in holder)) return false;
    this.hasFiles = true;
    this.fileTokens += isFile ? maxFileShare * fileTokens(content) : content.length * maxTokensPerAudioChar;
    return true;
  }
}

/** A dense page has 3,000 tokens as text and 1,600 as a picture, while the estimate is 1,500. */
const maxFileShare = 4;
/** Ten times as many tokens as compressed speech has. */
const maxTokensPerAudioChar = 1 / 64;

/** Reads the size of a picture in a data URL from its first bytes; null if they don't contain it. */
export function sizeOfDataUrl(url: string): PixelSize | null {
  if (!url.startsWith('data:')) return null;
  const begin = url.indexOf(',') + 1;
  const small = pictureSize(Buffer.from(url.slice(begin, begin + smallHead), 'base64'));
  if (small || url.length - begin <= smallHead) return small;
  return pictureSize(Buffer.from(url.slice(begin, begin + Math.ceil(pictureHeadBytes / 3) * 4), 'base64'));
}

/** Nearly all pictures contain their size within this many base64 characters. */
const smallHead = 4_096;

/** The properties of a model that the input is measured by. */
interface Reader {
  readonly provider: string;
  readonly model: string;
  readonly contextLength: number | null;
}

/**
 * Returns the maximum number of input tokens that this model's vendor counts. Nobody can send more than the model's
 * context.
 */
export function maxInputTokens({ textTokens, pictures, fileTokens, isOnePrompt }: InputSize, model: Reader): number {
  const own = shortInstructions.has(model.provider) ? instructionTokens.always : instructionTokens.ofOthers;
  const seen = pictures.reduce((sum, picture) => sum + maxPictureTokens(picture, model), 0);
  const tokens = own + textTokens + seen + Math.ceil(fileTokens ?? 0);
  return isOnePrompt ? Math.min(tokens, model.contextLength ?? tokens) : tokens;
}
