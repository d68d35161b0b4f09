/** Maps the info strings of code fences to grammars. */
const grammars: Record<string, string> = {
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  node: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  py: 'python',
  python3: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  bash: 'shellscript',
  shell: 'shellscript',
  zsh: 'shellscript',
  console: 'shellsession',
  yml: 'yaml',
  md: 'markdown',
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  golang: 'go',
  kt: 'kotlin',
  ps1: 'powershell',
  docker: 'dockerfile',
  tex: 'latex',
  jsonl: 'json',
};
const names: Record<string, string> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  jsx: 'JSX',
  tsx: 'TSX',
  shellscript: 'Shell',
  shellsession: 'Console',
  json: 'JSON',
  html: 'HTML',
  css: 'CSS',
  sql: 'SQL',
  yaml: 'YAML',
  toml: 'TOML',
  xml: 'XML',
  cpp: 'C++',
  csharp: 'C#',
  php: 'PHP',
  http: 'HTTP',
  ini: 'INI',
  latex: 'LaTeX',
};
const plain = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'output', 'none']);

/** Returns the grammar's name, or null for plain text. */
export function getLanguage(info: string): string | null {
  const word = (info.trim().split(/[\s{:,]/)[0] ?? '').toLowerCase();
  if (plain.has(word) || !/^[a-z0-9+#-]{1,24}$/.test(word)) return null;
  return grammars[word] ?? word;
}

/** The label of a code block. */
export function languageName(info: string, fallback: string): string {
  const language = getLanguage(info);
  if (!language) return fallback;
  return names[language] ?? `${language[0]?.toUpperCase()}${language.slice(1)}`;
}
