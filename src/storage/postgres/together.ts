interface Question<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

interface Parts<Asked, Answer> {
  /** What has the same name here can be answered together. */
  kindOf(asked: Asked): string;
  /** How many are answered together at most. */
  readonly most: number;
  /** Gives the answers to questions of one kind, in their order. When it fails, none of them has one. */
  answer(asked: readonly Asked[]): Promise<readonly Answer[]>;
}

/** Has what is asked at the same moment answered together. */
export function together<Asked, Answer>({
  kindOf,
  most,
  answer,
}: Parts<Asked, Answer>): (asked: Asked) => Promise<Answer> {
  type Questions = readonly Question<Asked, Answer>[];
  const questions: Question<Asked, Answer>[] = [];

  const answerAll = (all: Questions): void => {
    for (const same of Map.groupBy(all, ({ asked }) => kindOf(asked)).values()) {
      for (let start = 0; start < same.length; start += most) {
        void answerPart(same.slice(start, start + most));
      }
    }
  };

  const answerPart = async (part: Questions): Promise<void> => {
    try {
      const answers = await answer(part.map(({ asked }) => asked));
      for (const [place, { resolve }] of part.entries()) resolve(answers[place] as Answer);
    } catch (error) {
      for (const { reject } of part) reject(error);
    }
  };

  return (asked) =>
    new Promise((resolve, reject) => {
      // Requests of one burst are handled without a pause between them, and ask before this is done.
      if (questions.push({ asked, resolve, reject }) === 1) {
        queueMicrotask(() => answerAll(questions.splice(0)));
      }
    });
}
