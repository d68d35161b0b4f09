import {
  type Copy,
  DockerfileParser,
  type From,
  type Healthcheck,
  type JSONInstruction,
  type Run,
} from 'dockerfile-ast';

/** One instruction of a stage that changes its files. */
export type Step =
  | {
      readonly kind: 'copy';
      readonly from: string | null;
      readonly sources: readonly string[];
      readonly target: string;
    }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'workdir'; readonly path: string }
  | { readonly kind: 'env'; readonly name: string; readonly value: string }
  | { readonly kind: 'user'; readonly name: string };

export interface Stage {
  readonly base: string;
  readonly name: string | null;
  readonly steps: readonly Step[];
}

export interface Image {
  readonly stages: readonly Stage[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/**
 * Reads the kinds of instructions that our Dockerfile uses. Throws on any other, because an instruction that isn't
 * replayed must not appear to have been.
 */
export function readDockerfile(text: string): Image {
  const file = DockerfileParser.parse(text);
  const stages: { base: string; name: string | null; steps: Step[] }[] = [];
  const image = { entrypoint: [] as string[], command: [] as string[], healthcheck: [] as string[] };
  for (const instruction of file.getInstructions()) {
    const words = instruction.getArguments().map((argument) => argument.getValue());
    const [first = ''] = words;
    const steps = stages.at(-1)?.steps ?? [];
    switch (instruction.getKeyword()) {
      case 'FROM':
        stages.push({ base: first, name: (instruction as From).getBuildStage(), steps: [] });
        break;
      case 'COPY':
        steps.push(copyStep(instruction as Copy, words));
        break;
      case 'RUN':
        steps.push(runStep(instruction as Run));
        break;
      case 'WORKDIR':
        steps.push({ kind: 'workdir', path: first });
        break;
      case 'ENV':
        for (const assignment of words) {
          const [name = '', value = ''] = assignment.split(/=(.*)/s);
          steps.push({ kind: 'env', name, value });
        }
        break;
      case 'USER':
        steps.push({ kind: 'user', name: first });
        break;
      case 'ENTRYPOINT':
        image.entrypoint = execForm(instruction as JSONInstruction);
        break;
      case 'CMD':
        image.command = execForm(instruction as JSONInstruction);
        break;
      case 'HEALTHCHECK':
        image.healthcheck = getHealthcheck(instruction as Healthcheck);
        break;
      // These instructions are for the engine and change no files.
      case 'EXPOSE':
      case 'VOLUME':
        break;
      default:
        throw new Error(`not replayed: ${instruction.toString()}`);
    }
  }
  return { ...image, stages };
}

function runStep(instruction: Run): Step {
  if (instruction.getFlags().length || instruction.getOpeningBracket())
    throw new Error(`not replayed: ${instruction.toString()}`);
  return { kind: 'run', command: instruction.getArgumentsContent() ?? '' };
}

function copyStep(instruction: Copy, words: readonly string[]): Step {
  const [flag, ...more] = instruction.getFlags();
  if (more.length || (flag && flag.getName() !== 'from')) throw new Error(`not replayed: ${instruction.toString()}`);
  return { kind: 'copy', from: flag?.getValue() ?? null, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
}

/** Docker can stop a program with a signal only if it was started without a shell. */
function execForm(instruction: JSONInstruction): string[] {
  if (!instruction.getOpeningBracket()) throw new Error(`not in the exec form: ${instruction.toString()}`);
  return instruction.getJSONStrings().map((argument) => argument.getJSONValue());
}

function getHealthcheck(instruction: Healthcheck): string[] {
  const [, json] = (instruction.getArgumentsContent() ?? '').split(/\bCMD\s+(?=\[)/);
  if (!json) throw new Error(`not in the exec form: ${instruction.toString()}`);
  return JSON.parse(json);
}
