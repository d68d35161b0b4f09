import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import ignore from '@balena/dockerignore';
import { type CleanRoot, openCleanRoot, type Setting } from './clean-root.ts';
import type { Image, Step } from './dockerfile.ts';

/** Does a RUN step: either exactly as written, or in a faster way with the same result. */
export type RunStep = (command: string, root: CleanRoot, setting: Setting) => Promise<void>;

/** The last stage, whose files are the image's. */
export interface Replayed {
  readonly root: CleanRoot;
  readonly setting: Setting;
  close(): void;
}

const initial: Setting = { directory: '/', env: {}, user: 'root' };

/**
 * Does every step of every stage, each stage in a clean root of its own, with those files of the folder `context` that
 * its `.dockerignore` allows. Throws if a step fails, or if a COPY names a file that isn't there.
 */
export async function replay(image: Image, context: string, runStep: RunStep): Promise<Replayed> {
  const roots: CleanRoot[] = [];
  const close = () => {
    for (const root of roots) root.close();
  };
  const getOrigin = (from: string | null): Origin => {
    if (from === null) return { folder: context, files: (source) => contextFiles(context, source) };
    const stage = roots[image.stages.findIndex(({ name }) => name === from)];
    if (!stage) throw new Error(`COPY --from=${from}: no such stage before it`);
    return { folder: stage.folder, files: (source) => filesBelow(stage.folder, source) };
  };
  let setting = initial;
  try {
    for (const { steps } of image.stages) {
      const root = openCleanRoot();
      roots.push(root);
      setting = initial;
      for (const step of steps) {
        if (step.kind === 'copy') copy(step, getOrigin(step.from), join(root.folder, setting.directory));
        else if (step.kind === 'run') await runStep(step.command, root, setting);
        else setting = changed(setting, step, root);
      }
    }
  } catch (error) {
    close();
    throw error;
  }
  const root = roots.at(-1);
  if (!root) throw new Error('the Dockerfile has no FROM');
  return { root, setting, close };
}

type Only<Kind> = Extract<Step, { kind: Kind }>;

function changed(setting: Setting, step: Only<'env' | 'user' | 'workdir'>, { folder }: CleanRoot): Setting {
  if (step.kind === 'env') return { ...setting, env: { ...setting.env, [step.name]: step.value } };
  if (step.kind === 'user') return { ...setting, user: step.name };
  const directory = resolve(setting.directory, step.path);
  mkdirSync(join(folder, directory), { recursive: true });
  return { ...setting, directory };
}

interface Origin {
  readonly folder: string;
  /** Returns the files that a COPY of this path takes, relative to the folder. */
  files(source: string): readonly string[];
}

/** A file goes to the target, or into it if the target is a folder. The contents of a folder go into the target. */
function copy({ sources, target }: Only<'copy'>, { folder, files }: Origin, directory: string): void {
  for (const source of sources) {
    const taken = files(source);
    if (taken.length === 0) throw new Error(`COPY: there is no "${source}" that may be copied`);
    const isFolder = statSync(join(folder, source)).isDirectory();
    const below = target.endsWith('/') || sources.length > 1 ? join(target, basename(source)) : target;
    for (const path of taken) {
      const goal = join(directory, isFolder ? join(target, relative(source.replace(/^\//, ''), path)) : below);
      mkdirSync(dirname(goal), { recursive: true });
      cpSync(join(folder, path), goal, { verbatimSymlinks: true });
    }
  }
}

function filesBelow(folder: string, source: string): string[] {
  const full = join(folder, source);
  const found = statSync(full, { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return [relative(folder, full)];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function contextFiles(context: string, source: string): string[] {
  const rules = ignore().add(readFileSync(join(context, '.dockerignore'), 'utf8'));
  return filesBelow(context, source).filter((path) => !rules.ignores(path));
}
