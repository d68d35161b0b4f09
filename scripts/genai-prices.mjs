// Reads the data of the package @pydantic/genai-prices, for the scripts that make the price book from it.
import { readFileSync } from 'node:fs';

const packageRoot = new URL('../node_modules/@pydantic/genai-prices/', import.meta.url);

/** Returns the package's version and its providers, each with its models and their prices. */
export function readGenaiPrices() {
  const { version } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'));
  return { version, providers: embeddedData(readFileSync(new URL('dist/index.js', packageRoot), 'utf8')) };
}

/** The shortest decimal for this number is the text in the package's source, so no digits are lost. */
export function decimal(value) {
  const text = String(value);
  if (!/^\d+(\.\d{1,6})?$/.test(text)) throw new Error(`${text} is not a plain decimal with at most six digits`);
  return text;
}

/** The package embeds its data as the first array literal of its bundle and exports no way to read it. */
function embeddedData(bundle) {
  const start = bundle.indexOf('[');
  return Function(`"use strict"; return (${bundle.slice(start, endOfArray(bundle, start))})`)();
}

function endOfArray(text, start) {
  let depth = 0;
  let quote = '';
  for (let index = start; index < text.length; index += 1) {
    const char = text[index];
    if (quote) {
      if (char === '\\') index += 1;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'" || char === '`') quote = char;
    else if (char === '[') depth += 1;
    else if (char === ']') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  throw new Error('the data array does not end');
}
