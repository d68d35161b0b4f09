/** Signs that are not seen, or turn the order of others: in what somebody decides on, they are spelled out. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text as it is, with nothing in it that only a machine would see. */
export const exactText = (text: string): string =>
  text.replace(unseen, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

/** Beyond these, spacing it out takes long, and makes many times as much of it. */
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

/** JSON on lines of its own, where that changes nothing of it; else the text as it was written. */
export function spacedJson(text: string): string {
  if (text.length > longest || isDeep(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
