/** A fenced block of a Markdown page. */
export interface FencedBlock {
  /** The line of the fence, from 1. */
  readonly line: number;
  /** The first word after the fence. It may be empty. */
  readonly language: string;
  /** The rest of that line. */
  readonly info: string;
  readonly text: string;
  /** The text between the block before it and this block. */
  readonly before: string;
}

const FENCED = /^```(\w*)(?: (.*))?\n([\s\S]*?)^```$/gm;

/** The fenced blocks of a page, in order. */
export function fencedBlocks(markdown: string): FencedBlock[] {
  let end = 0;
  return [...markdown.matchAll(FENCED)].map(
    ({ 0: whole, 1: language, 2: info, 3: text, index }) => {
      const before = markdown.slice(end, index);
      end = index + whole.length;
      return {
        line: markdown.slice(0, index).split('\n').length,
        language: language ?? '',
        info: info ?? '',
        text: text ?? '',
        before,
      };
    },
  );
}

/** Whether a block follows the block before it immediately, and so shows its output. */
export const followsDirectly = ({ before }: FencedBlock): boolean => before.trim() === '';

/** A page with an empty line in place of each line of a block. */
export const withoutBlocks = (markdown: string): string =>
  markdown.replaceAll(FENCED, (block) => block.replaceAll(/.+/g, ''));

/** A block of commands. */
export interface CommandBlock extends FencedBlock {
  /** The output that the page shows: the text of the next block, if it is output and follows directly. */
  readonly shown: string | undefined;
}

/** The blocks of a page that are no output, in order. */
export function commandBlocks(
  markdown: string,
  isOutput: (block: FencedBlock) => boolean,
): CommandBlock[] {
  const blocks = fencedBlocks(markdown);
  return blocks.flatMap((block, number) => {
    if (isOutput(block)) return [];
    const next = blocks[number + 1];
    const shows = next !== undefined && isOutput(next) && followsDirectly(next);
    return [{ ...block, shown: shows ? next.text : undefined }];
  });
}

/** The words after the language of a block, such as `run status=1`, by name. */
export const attributesOf = (info: string): Record<string, string> =>
  Object.fromEntries(
    info
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => [word.split('=')[0], word.split('=')[1] ?? '']),
  );
