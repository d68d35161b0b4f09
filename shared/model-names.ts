/** Conclusions from a model's name: its vendor, whether it is a chat model, and which snapshot it is. */

/** How a vendor's chat models are named, and which names in its list aren't chat models. */
interface Naming {
  readonly chat: RegExp;
  readonly other: RegExp;
}

const naming: Readonly<Record<string, Naming>> = {
  openai: {
    chat: /^(?:gpt-|chatgpt-|codex-|o\d|ft:)/,
    other:
      /audio|realtime|transcribe|translate|whisper|tts|speech|image|dall-e|sora|video|embed|moderation|instruct|babbage|davinci|search|computer-use|deep-research|similarity|live/,
  },
  anthropic: { chat: /^claude-/, other: /embed/ },
  google: {
    chat: /^gemini-/,
    other: /embed|tts|audio|live|image|imagen|veo|lyria|aqa|robotics|computer-use|transcribe|translate|deep-research/,
  },
};

/** The same for vendors whose models aren't in the price book: a name like this is theirs. */
const listedFamilies: readonly (readonly [provider: string, name: RegExp])[] = [
  ['mistral', /^(?:(?:open-)?mi[sx]tral|ministral|codestral|magistral|devstral|pixtral)-/],
  ['deepseek', /^deepseek-/],
  ['xai', /^grok-/],
];

/** Words in the names of models that do something other than chat, whoever serves them. */
const otherWork =
  /embed|moderation|\bocr\b|rerank|\btts\b|speech|whisper|voice|transcri|image|imagine|imagen|dall-e|video|sora|realtime/;

/** Whether a name shows that the model isn't for chat. */
export const isNamedForOther = (model: string): boolean => otherWork.test(model.toLowerCase());

/** Whether the price book has models of this provider. */
export const isBookVendor = (provider: string): boolean => Object.hasOwn(naming, provider);

/** Whether a model of a vendor in the price book is a chat model, judging by its name. */
export function canChat(provider: string, model: string): boolean {
  const name = model.toLowerCase();
  const rule = naming[provider];
  return rule ? rule.chat.test(name) && !rule.other.test(name) : false;
}

/** Every model name of a vendor contains a version or `latest`. */
const versioned = /\d|-latest$/;

/** Returns the vendor that names its chat models like this. Null if the name doesn't reveal one. */
export function getVendor(model: string): string | null {
  const name = model.toLowerCase();
  if (!versioned.test(name)) return null;
  const known = Object.keys(naming).find((provider) => canChat(provider, name));
  if (known !== undefined) return known;
  return (isNamedForOther(name) ? undefined : listedFamilies.find(([, family]) => family.test(name))?.[0]) ?? null;
}

/** Matches a snapshot's date (`claude-sonnet-4-5-20250929`, `gpt-5.2-2025-12-11`) or the mark of the newest one. */
const snapshot = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;
/** Claude Code adds this mark to the name of a model with long context. Vendors don't know it. */
const contextMark = /\[\d+[km]\]$/i;

/** Returns the name without a snapshot date and without the mark of a long context. */
export const withoutSnapshot = (model: string): string => withoutContextMark(model).replace(snapshot, '');
export const withoutContextMark = (model: string): string => model.replace(contextMark, '');
