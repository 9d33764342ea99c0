/** A catalogue in another language: the same keys and parameters, other texts. A missing or surplus text is a type error. */
export type Translation<Texts> = Texts extends string
  ? string
  : Texts extends (...parameters: infer Parameters) => infer Result
    ? (...parameters: Parameters) => Result extends string ? string : Result
    : { [Key in keyof Texts]: Translation<Texts[Key]> };
