import type { Random } from './random.ts';
import { labels, questions, type Subject, sentences } from './vocabulary.ts';

/** Writes questions and answers about a subject, with the shapes that answers have: lists, code, tables, maths. */
export function writer(random: Random, subject: Subject) {
  const filled = (template: string) =>
    template
      .replaceAll('$noun2', random.pick(subject.nouns))
      .replaceAll('$noun', random.often(subject.nouns))
      .replaceAll('$name', subject.name);
  const paragraph = () => Array.from({ length: random.between(2, 5) }, () => filled(random.pick(sentences))).join(' ');
  const label = () => `${random.pick(labels)}-${random.between(100, 9999)}`;

  const list = () =>
    Array.from({ length: random.between(3, 5) }, (_, index) => `${index + 1}. ${filled(random.pick(sentences))}`).join(
      '\n',
    );
  const table = () =>
    [
      '| what | before | after |',
      '|---|--:|--:|',
      ...subject.nouns.slice(0, 4).map((noun) => `| ${noun} | ${random.between(10, 90)} | ${random.between(1, 9)} |`),
    ].join('\n');
  const maths = () => {
    const rate = random.between(2, 9);
    return `$$\\hat{\\beta} = (X^\\top X)^{-1} X^\\top y, \\qquad \\sigma^2 \\le \\frac{${rate}}{n}$$`;
  };
  const code = () => {
    const name = random.pick(subject.nouns).replace(/\W+/g, '_');
    const limit = random.between(2, 64);
    switch (subject.language) {
      case 'ts':
        return `\`\`\`ts\nexport function ${name}(items: readonly string[], limit = ${limit}): string[] {\n  return items.filter((item) => item !== '').slice(0, limit);\n}\n\`\`\``;
      case 'py':
        return `\`\`\`python\ndef ${name}(values, limit=${limit}):\n    """Mean of the first values."""\n    kept = [value for value in values if value is not None][:limit]\n    return sum(kept) / len(kept)\n\`\`\``;
      case 'sql':
        return `\`\`\`sql\nselect ${name}, count(*) as rows\nfrom events\nwhere created_at > now() - interval '${limit} days'\ngroup by ${name}\norder by rows desc;\n\`\`\``;
      case 'sh':
        return `\`\`\`sh\nfor host in $(cat hosts.txt); do\n  ssh "$host" systemctl restart ${name} || echo "failed: $host"\n  sleep ${limit}\ndone\n\`\`\``;
      default:
        return list();
    }
  };

  return {
    title: () => {
      const noun = random.pick(subject.nouns);
      return random.pick([
        `${noun[0]?.toUpperCase()}${noun.slice(1)} for the ${subject.name}`,
        `How to plan the ${noun}`,
        `${subject.name[0]?.toUpperCase()}${subject.name.slice(1)}: ${noun}`,
        `Project ${label()}: ${noun}`,
      ]);
    },
    question: () => `${filled(random.pick(questions))}${random.chance(0.2) ? ` It is for ${label()}.` : ''}`,
    answer: () => {
      const parts = [paragraph()];
      if (random.chance(0.3)) parts.push(`## ${filled('The $noun')}`, paragraph());
      if (random.chance(0.35)) parts.push(list());
      if (random.chance(subject.language ? 0.45 : 0.1)) parts.push(code());
      if (random.chance(0.12)) parts.push(table());
      if (random.chance(subject.tags.includes('maths') ? 0.5 : 0.02)) parts.push(maths());
      if (random.chance(0.5)) parts.push(paragraph());
      return parts.join('\n\n');
    },
  };
}
