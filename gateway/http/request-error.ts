import type { core } from 'zod';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import { shortened } from './shorten-name.ts';

/** Turns the first fault that a schema found into the contract's code and `param` (wire contract §3.2). */
export function requestError(issues: readonly core.$ZodIssue[], body: unknown): AppError {
  const issue = deepest(issues);
  const path = issue?.path ?? [];
  const param = dotted(path);
  const value = valueAt(body, path);
  const code = codeFor(issue, path, value);
  const subject = param ? `"${param}"` : 'The body';
  return new AppError(code, sentenceFor(code, subject, issue), { param: param || null });
}

/** Formats `["messages", 2, "content"]` as `messages[2].content`. */
export function dotted(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${shortened(String(key))}` : shortened(String(key)),
    '',
  );
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  );
}

/** In a union, the branch that got furthest is the one that the client meant. */
function deepest(issues: readonly core.$ZodIssue[]): core.$ZodIssue | undefined {
  const [first] = issues;
  if (first?.code !== 'invalid_union' || !first.errors.length) return first;
  const branches = first.errors
    .map((branch) => deepest(branch))
    .filter((issue) => issue !== undefined)
    .map((issue) => ({ ...issue, path: [...first.path, ...issue.path] }))
    .toSorted((a, b) => b.path.length - a.path.length || rank(b) - rank(a));
  return branches[0] ?? first;
}

/** A value of the right type that is out of range is the more useful fault. */
const rank = (issue: core.$ZodIssue) => (issue.code === 'invalid_type' ? 0 : 1);

function codeFor(issue: core.$ZodIssue | undefined, path: readonly PropertyKey[], value: unknown): ErrorCode {
  if (value === undefined) return 'missing_required_parameter';
  const [area, , field] = path;
  const last = path.at(-1);
  if (issue?.code === 'invalid_union' || issue?.code === 'invalid_value') {
    if (area === 'messages' && path.length === 3 && field === 'role') return 'invalid_role';
    if (area === 'tools' && path.length === 3 && field === 'type') return 'unsupported_tool_type';
    const isOtherType = issue.code === 'invalid_union' || issue.values.every((known) => typeof known === 'string');
    if (typeof value !== 'string' && last !== undefined && isOtherType) return 'invalid_type';
    return 'invalid_value';
  }
  return issue?.code === 'invalid_type' && !isFractional(issue, value) ? 'invalid_type' : 'invalid_value';
}

/** A fraction in place of an integer is a wrong value, not a wrong type. */
const isFractional = (issue: core.$ZodIssueInvalidType, value: unknown) =>
  issue.expected === 'int' && typeof value === 'number';

function sentenceFor(code: ErrorCode, subject: string, issue: core.$ZodIssue | undefined): string {
  switch (code) {
    case 'missing_required_parameter':
      return `${subject} is missing.`;
    case 'invalid_role':
      return `${subject} must be one of system, developer, user, assistant, tool.`;
    case 'unsupported_tool_type':
      return `${subject} must be "function": no other kind of tool is supported.`;
    default:
      return `${subject} is not valid: ${issue?.message ?? 'it is not what was expected'}.`;
  }
}
