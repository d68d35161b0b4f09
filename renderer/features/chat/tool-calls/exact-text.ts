/** Invisible and bidirectional control characters: spelled out where the user decides by the text. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with such characters spelled out. */
export const exactText = (text: string): string =>
  text.replace(unseen, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

/** Formatting longer JSON takes long and multiplies its size. */
const longest = 100_000;
const deepest = 30;

function isDeep(text: string): boolean {
  let depth = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') depth += 1;
    else if (letter === ']' || letter === '}') depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

/** Formats JSON, if that does not change its meaning; else the text as it is. */
export function spacedJson(text: string): string {
  if (text.length > longest || isDeep(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
