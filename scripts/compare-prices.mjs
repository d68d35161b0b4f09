// Compares the gateway's price book with a second source, the data of the package `llm-zoo`, and lists the differences:
//   node scripts/compare-prices.mjs [YYYY-MM-DD] [--json] [--all] [--verdicts FILE]
// It compares the prices of this day, by default today, and helps a person to review an import. The exit code is 1 if there
// is a difference that nobody has reviewed. A price that the book has for another day is listed, but isn't a difference.
// `--all` also lists reviewed differences (`price-verdicts.json`).
import { readFileSync } from 'node:fs';
import { MODEL_CONFIGS } from 'llm-zoo';

const book = JSON.parse(readFileSync(new URL('../gateway/models/prices/data/prices.json', import.meta.url), 'utf8'));
const { version } = JSON.parse(readFileSync(new URL('../node_modules/llm-zoo/package.json', import.meta.url), 'utf8'));

const words = process.argv.slice(2);
const named = words.indexOf('--verdicts');
const verdictsFile = named < 0 ? new URL('price-verdicts.json', import.meta.url) : words[named + 1];
const { verdicts } = JSON.parse(readFileSync(verdictsFile, 'utf8'));
const day = words.find((word) => /^\d{4}-\d{2}-\d{2}$/.test(word)) ?? new Date().toISOString().slice(0, 10);
const theirs = new Map(
  Object.values(MODEL_CONFIGS)
    .filter((model) => !model.openRouterOnly && !model.serviceTier)
    .map((model) => [`${model.provider}/${model.fullName}`, model]),
);

const compared = book.models.map(({ id, rows }) => {
  const ours = rows.findLast(({ from }) => from === null || from <= day);
  const other = theirs.get(id) ?? [...theirs.values()].find((model) => `${model.provider}/${model.shortName}` === id);
  return { id, differences: ours && other ? differences(id, rows, ours, other) : null };
});

function differences(id, rows, ours, other) {
  const cached = other.capabilities.supportsPromptCaching && ours.cache_read !== null;
  const pairs = [
    ['input', ours.input, other.inputPrice],
    ['output', ours.output, other.outputPrice],
    ...(cached ? [['cache_read', ours.cache_read, other.inputPrice * other.capabilities.cacheDiscountFactor]] : []),
  ];
  return pairs
    .filter(([, ownPrice, otherPrice]) => Math.abs(Number(ownPrice) - otherPrice) > 1e-9 * Math.max(1, otherPrice))
    .map(([component, ownPrice, otherPrice]) => {
      const theirs = String(Number(otherPrice.toFixed(6)));
      const on = rows.find((row) => Number(row[component]) === Number(theirs))?.from ?? null;
      return {
        component,
        ours: ownPrice,
        theirs,
        on,
        verdict: verdictOn({ model: id, component, ours: ownPrice, theirs }),
      };
    });
}

/** Returns the verdict on exactly this difference. If a number has changed, the verdict no longer applies. */
function verdictOn(difference) {
  const same = (verdict) => Object.entries(difference).every(([name, value]) => verdict[name] === value);
  const { reviewed, reason } = verdicts.find(same) ?? {};
  return reviewed ? { reviewed, reason } : null;
}

/** Returns verdicts whose difference no longer exists. They can be deleted. */
function withoutDifference() {
  const there = different.flatMap(({ id, differences: list }) =>
    list.map((difference) => `${id} ${difference.component}`),
  );
  return verdicts.map(({ model, component }) => `${model} ${component}`).filter((name) => !there.includes(name));
}

const found = compared.filter(({ differences: list }) => list !== null);
const different = found.filter(({ differences: list }) => list.length > 0);
const missing = compared.filter(({ differences: list }) => list === null).map(({ id }) => id);
const all = different.flatMap(({ differences: list }) => list);
const open = all.filter(({ on, verdict }) => on === null && verdict === null).length;
const reviewed = all.filter(({ verdict }) => verdict !== null).length;
const settled = withoutDifference();

if (words.includes('--json')) {
  const sources = { ours: `${book.source} (${book.as_of})`, theirs: `llm-zoo ${version}` };
  console.log(
    JSON.stringify({ day, ...sources, compared: found.length, different, missing, open, reviewed, settled }, null, 2),
  );
} else {
  console.log(`Prices on ${day}, USD per million tokens: ${book.source} (${book.as_of}) against llm-zoo ${version}`);
  for (const { id, differences: list } of different) {
    for (const { component, ours, theirs: otherPrice, on, verdict } of list) {
      if (verdict && !words.includes('--all')) continue;
      const why = verdict ? `  (reviewed ${verdict.reviewed}: ${verdict.reason})` : '';
      console.log(`  ${id}  ${component}: ${ours}, there ${otherPrice}${on ? `  (ours from ${on})` : ''}${why}`);
    }
  }
  console.log(`${open} differences to look at, ${reviewed} reviewed`);
  if (settled.length > 0) console.log(`Verdicts that are no longer needed: ${settled.join(', ')}`);
  console.log(
    `${found.length - different.length} of ${found.length} models agree; not known there: ${missing.join(', ') || 'none'}`,
  );
}
process.exitCode = open > 0 ? 1 : 0;
