import type { Cue } from "./cue.js";

/*
 * What a sentence does, by language. Each cue says something about the language, not about the replies it was seen in.
 * `\b` knows only Latin letters; elsewhere look-around with \p{L} does its work.
 */

const latin = (words: string, pattern: RegExp): Cue => ({
  script: "latin",
  ...(words === "" ? {} : { words: words.split(" ") }),
  pattern,
});
const han = (pattern: RegExp): Cue => ({ script: "han", pattern });
const cyrillic = (pattern: RegExp): Cue => ({ script: "cyrillic", pattern });
const other = (pattern: RegExp): Cue => ({ script: "other", pattern });

/** Before the first letter of a sentence. */
const start = "^[^\\p{L}\\p{N}]*";
const from = (pattern: RegExp): RegExp => new RegExp(`${start}${pattern.source}`, "u");

/** A close that offers more help waits for nothing. */
export const courtesy: readonly Cue[] = [
  latin(
    "else other further more additional anymore",
    /\b(?:any|some|every|no) ?(?:thing|one|body)? ?(?:else|other|further|more|additional)\b|\b(?:anyt?h?ing|something|what|nothing|who|where) (?:else|more|further|other|additional)\b|\belse (?:i|we) (?:can|could|may)\b/u,
  ),
  latin("free anything", /\bfeel free\b|\banything (?:you need|i can|to|help)\b/u),
  latin(
    "let",
    /\blet (?:me|us) know if\b(?!.{0,30}\b(?:this|that|these|it) (?:is|are|looks?|works?|sounds?)\b)/u,
  ),
  latin(
    "if",
    /\bif you (?:need|have) (?:any|more|further|other|additional|some)\b|^[^\p{L}\p{N}]*if (?:something|anything|there(?:'s| is)|you (?:need|have|notice|see|find|spot|run))\b/u,
  ),
  latin("how what", /\b(?:how|what) (?:else )?(?:can|could|may|might) i (?:help|assist|do|be)\b/u),
  latin(
    "i",
    /\b(?:can|could|may|shall|might|would) i (?:be able to )?(?:further |also |still )?(?:help|assist|be of|be more|do any|do some)\b(?!(?: you)? (?:find|book|make|get|reserve|search|look|buy|with (?:a|an|the|that|this|your|booking|finding)\b))/u,
  ),
  latin(
    "help assistance service services favor favour",
    /\b(?:more|further|additional|other|of|need|want|any|my|with) (?:help|assistance|service|services|favou?r)\b/u,
  ),
  latin(
    "question questions request requests concern concerns info information thing things",
    /\b(?:other|more|further|additional|any) (?:questions?|requests?|concerns?|info|information needed|things?)\b\W*(?:\?|$|today|for you|i can|i could|that i)/u,
  ),
  latin(
    "all everything it set",
    /\b(?:will|would|is) (?:that|this|it) (?:be )?(?:all|everything|it)\b(?! (?:still |correct|right|look))|\bthat(?:'s| is| will be) all\b(?! (?:still |correct|right))|\ball set\b/u,
  ),
  latin(
    "algo alguna otra qué que dudes házmelo hazmelo cosa",
    /\b(?:algo|alguna cosa|otra cosa|alguna otra cosa) (?:más|mas)(?!\p{L})|\b(?:puedo|podemos|podría) (?:ayudar|asistir)[a-z]* (?:en |con )?(?:algo|alguna)|\ben qu[ée] (?:más )?(?:puedo|podemos) ayudar|\botra (?:pregunta|consulta|duda|cosa)\b|\bno dudes? en\b|\bh[aá]zmelo saber\b/u,
  ),
  latin(
    "sonst noch weiter weiteres autre vous qualcos altro mais başka",
    /\b(?:sonst|weitere[rs]?) noch\b|\bkann ich (?:ihnen |dir )?(?:sonst|noch|weiter)|\bautre chose\b|\bvous aider\b|qualcos'altro|\baltro\?|\bmais alguma coisa|\bajudar (?:em|com) (?:mais|algo)|başka bir/u,
  ),
  han(
    /(?:还|還)(?:有|需要|能|可以|要).{0,6}(?:什么|什麼|其他|别的|別的|其它|问题|問題|帮|幫|吗|嗎)|就(?:这些|這些|这样|這樣)|(?:能|可以)(?:帮|幫|为|為)您(?:什么|什麼|做)|别的(?:帮助|需要)/u,
  ),
  han(
    /ご(?:不明|質問|不安).{0,14}(?:知らせ|連絡|問い合わせ|ください)|(?:他|ほか|その他|別)に(?:も)?(?:何か|なにか|ご|お|御|質問)|御用件|ご用件|以上でよろしい/u,
  ),
  cyrillic(
    /(?<!\p{L})(?:ещ[её]|чем)(?!\p{L}).{0,25}(?:помо|нужн|сделать|полез|что-|чем-)|(?:что|чем)-?(?:нибудь|либо|то)? ещ[её](?!\p{L})|(?:помощь|помочь).{0,25}(?:ещ[её]|нужн|сегодня|чем|вам)|(?<!\p{L})это вс[её](?!\p{L})|ещ[её] (?:что|чем|какая|какие)|(?:нужна|понадобится).{0,25}(?:помощь|информация)|я могу вам помочь|(?:чем|что)-?(?:нибудь|либо).{0,20}(?:помочь|полез|сделать)/u,
  ),
  other(/شيء آخر|أي شيء آخر|더 (?:도와|필요)|다른 (?:도움|문의)|और कुछ|κάτι άλλο/u),
];

/** Good wishes, thanks, farewells. */
export const farewell: readonly Cue[] = [
  latin(
    "thank thanks welcome bye goodbye good have enjoy take see glad happy pleasure problem",
    from(
      /(?:thank(?:s| you)|you(?:'re| are) (?:very )?welcome|bye|good ?bye|have a (?:\w+ )?(?:day|time|one|night|trip|stay|evening|weekend|meal|flight|week)|enjoy\b|take care|see you|glad|happy to (?:help|have)|my pleasure|no problem\W*$)/u,
    ),
  ),
  latin(
    "",
    from(
      /(?:gracias|de nada|adiós|hasta (?:luego|pronto)|que tengas?|que tenga|danke|merci(?! d)|obrigad|tschüss|au revoir|arrivederci|grazie)/u,
    ),
  ),
  han(from(/(?:谢谢|謝謝|再见|再見|不客气|不客氣|祝|ありがとう|どういたしまして)/u)),
  cyrillic(
    from(
      /(?:не за что|спасибо|всего (?:добр|хорош)|до свидания|хорошего|приятного|удачи|всегда пожалуйста)/u,
    ),
  ),
];

/** Asked of nobody. */
export const rhetorical: readonly Cue[] = [
  latin(
    "",
    /^(?:how \p{L}+ is that|you (?:might|may|could) (?:ask|wonder)|guess what|why not|who knows|(?:isn't|aren't|wasn't) \p{L}+ (?:\p{L}+ )?(?:amazing|great|nice|lovely|fun|wonderful|beautiful|cool|funny|sweet)|don't you (?:just )?love|right|see|remember|sounds? (?:fun|great))\b[^?]*\?$/u,
  ),
  // Patience, asked for as a question.
  latin(
    "moment minute minutes second seconds sec while bear tight",
    /\b(?:could|can|would|will) (?:you|i|we) (?:please |just |kindly )*(?:wait|hold(?: on)?|hang on|sit tight|stand by|bear with (?:me|us)|(?:give|allow) (?:me|us)|have)(?: (?:for )?(?:just )?(?:a|one|another|a few|two|some) (?:\p{L}+ )?(?:moments?|minutes?|seconds?|sec|while))?(?:,? please)?(?: while (?:i|we)\b[^?]*)?\?$/u,
  ),
  // "I could not find any?"
  latin(
    "i",
    from(
      /(?:(?:oh|sorry|ok|okay|i'm sorry|i am sorry)\b[^\p{L}]*)*i (?:was|were|am|couldn't|could not|wasn't|can't|cannot|did not|didn't|have|had)\b(?!.*\b(?:you|your|shall|should|which|what|may i|can i)\b)(?!.*,\s*(?:is|are|right|correct|ok|okay|yes|how|would|another|can|shall)\b)[^?]*\?$/u,
    ),
  ),
];

/** Said to the reader: a question further up still stands. */
export const addressed: readonly Cue[] = [
  latin(
    "you your yours shall should i which that this how what usted ustedes tu tus su sus quieres quiere desea prefieres podrías podría puedes puede te le sie ihnen ihr ihre vous votre vos lei suo sua você seu",
    /\b(?:you|your|yours|shall (?:i|we)|should (?:i|we)|may i|can i|could i|do i|am i|which|is that|is this|does that|would that|how about|what about|usted|ustedes|tu|tus|su|sus|quieres?|desea|prefieres?|podrías?|puedes?|puede|te|le|sie|ihnen|ihre?|vous|votre|vos|lei|suo|sua|você|seu)(?!\p{L})/u,
  ),
  han(/[您你]|怎么样|怎麼樣|好吗|可以吗|行吗|(?:ます|です|でしょう|ください|ません)か?/u),
  cyrillic(
    /(?<!\p{L})(?:вы|вас|вам|ваш\p{L}*|вами|тебе|ты)(?!\p{L})|\p{L}(?:ете|ите|ёте)(?:сь)?(?!\p{L})/u,
  ),
  other(/\p{L}/u),
];

const leadIn =
  "(?:(?:ok(?:ay)?|sure(?: thing)?|yes|no|and|so|also|but|then|now|first|great|perfect|alright|all right|got it|thanks?|thank you|well|right|sorry|hi|hello|certainly|of course|absolutely|i can(?: do that| help)?|happy to help|yeah|next|finally|good|cool|excellent|hmm|i see|no problem|sounds good|very well|for sure)\\b[\\s,.!:;-]*){0,3}";
const questionWords =
  "what which how who whom whose where when why would do did does are is can could should shall may will have has am was were";

/** Questions that were written without their mark: the word order asks. */
export const inverted: readonly Cue[] = [
  latin(
    questionWords,
    new RegExp(
      `${start}${leadIn}(?:(?:would|do|did|does|are|is|can|could|should|shall|may|will|have|has|am|was|were) (?:you|i|we|it|that|this|there|they|the|your|he|she|any)\\b|(?:at|for|on|in|from|to|with|by) (?:what|which|how|whom|where|when)\\b|(?:what|which|how|who|whom|whose|where|when|why)(?:'s|'re| (?:is|are|was|were|do|does|did|would|will|can|could|should|shall|else|kind|type|sort|time|date|day|city|size|many|much|long|often|far|about|genre|area|price|name|category|of|to|one|[a-z]+ (?:is|are|do|does|did|would|will|can|could|should|shall|to|in|of|you)))\\b)`,
      "u",
    ),
  ),
];

/** Loose word order counts only where no full stop says that something is told. */
export const unstopped: readonly Cue[] = [
  latin(
    "do does did is are would can could should will que cual cuando donde cuantos cuantas como",
    new RegExp(
      `${start}(?:do|does|did|is|are|would|can|could|should|will) (?!the same\\b)\\p{L}+ .*[\\p{L}\\p{N}]$|\\b(?:would|do) you (?:like|want|prefer)\\b.*[\\p{L}\\p{N}]$|\\b(?:a que hora|que (?:dia|hora|fecha|talla)|cual|cuando|donde|cuant[oa]s?)\\b.*[\\p{L}\\p{N}]$`,
      "u",
    ),
  ),
  han(
    /(?<!没有)(?<!没)(?:哪|多少|谁|几(?:点|号|位)).*[^。！!，]$|(?<!没有)(?<!没)(?:哪|多少).*[呢呀啊][。]?$/u,
  ),
  cyrillic(/^[^\p{L}]*(?:сколько|какой|какая|какое|когда|где|куда|откуда)(?!\p{L}).*\p{L}$/u),
];

/** These begin like one and tell something. */
export const notInverted: readonly Cue[] = [
  latin(
    "",
    from(
      /(?:have (?:a|an|fun|the)\b|(?:what|how) (?:a|an|to|wonderful|nice|great|lovely)\b|(?:when|what|where|how|which|whatever|whenever) (?:you|it|they|he|she|this|that) (?!(?:are|is|would|will|do|can) \w+ to\b)|which (?:is|are|was|means|will|would)\b|is the\b(?!.*\bor\b)|are the\b|was\b|were\b)/u,
    ),
  ),
];

/** Requests that need no question mark. */
export const request: readonly Cue[] = [
  latin(
    "please kindly",
    /\b(?:please|kindly)\b[^.!?]{0,60}\b(?:provide|enter|tell|give|specify|confirm|verify|choose|select|pick|send|share|type|say|state|indicate|supply|upload|clarify|reply|respond|answer|let (?:me|us) know|describe|double-check|(?:check|review)(?=.*\b(?:following|details|if|whether|and)\b)|try (?:a |an)?(?:different|another|other|using)|list|name|attach|fill|mention|advise|elaborate|add the|correct|paste|repeat|rephrase|restate|write|explain)\b(?![-:])|^(?!.*\b(?:moment|minute|second|wait|hold|yes)\b)[^.!?]{3,80}\bplease\W*$/u,
  ),
  latin(
    "provide enter tell give specify confirm choose select pick type clarify say name verify describe reply respond answer write paste upload let text send try tap click press",
    new RegExp(
      `${start}(?!.*(?:;|\\band (?:press|click|tap|save|open)\\b))(?:(?:ok(?:ay)?|sure|yes|and|so|also|but|then|first|great|alright|now|just|next|perfect|but first|sure thing|of course)\\b[\\s,.!:-]*){0,3}(?:(?:tap|click|press)(?: on)? (?:one|any|either) of|provide|enter|tell (?:me|us)|give (?:me|us)|specify|confirm|choose|select|pick|type (?:⋯|the|a|in|your|yes|no|⋯|\\S+ (?:to|when|if|for))|clarify|say (?:yes|no|the|so|⋯|\\S+ (?:to|when|if))|name (?:the|a|one|your|of)|verify|describe|reply (?:with|⋯|\\S+ to|\\d to)|respond with|answer (?:with|the|these|my|a|yes|no)|write (?:me|us|the|a|in|your)|paste|upload|text \\S+ to|send (?:me|us|it|them|both|over)|try (?:a|an|another) (?:\\p{L}+ )?(?:different|smaller|larger|other|another|amount|date|card|name)|let (?:me|us) (?:you )?know (?:which|what|when|where|who|how|whether|your|the|a|an|if (?:this|that|these|it|you(?:'d| would) (?:like|prefer))))(?![-:\\p{L}\\p{N}])`,
      "u",
    ),
  ),
  latin(
    "let tell give",
    /\blet (?:me|us) know (?:which|what|when|where|who|how|whether|your|the (?:new|name|date|time|number)|once)\b|\btell (?:me|us) (?:which|what|when|where|who|how|whether|your|the|if|for|about)\b|\bgive (?:me|us) (?:your|the|a|some|more)\b|\bor tell me\b/u,
  ),
  latin(
    "need needs require want like missing told given said mentioned curious",
    /\b(?:i|we)(?:'ll| will| would|'d)? (?:just |still |also |only |first |now |really )*(?:need|require) (?!(?:a |an |one |some )?(?:moment|minute|second|while|time|bit)|to (?!know|confirm|verify|ask)|it\b|this\b|that\b|help)\p{L}|\b(?:all|what) (?:i|we) (?:still )?need(?: from you)? (?:is|are)\b|^(?!they\b).*\bneeds? to know\b|\b(?:i|we) (?:want|would like|'d like) to (?:know|confirm|verify|ask)\b|\b(?:i am|i'm|we are|we're) (?:still )?missing\b|\byou (?:haven't|have not|did not|didn't) (?:yet )?(?:told|given|said|mentioned|chosen|say|tell|give)\b|\bi(?:'m| am) curious (?:what|which|how|when)\b/u,
  ),
  latin(
    "waiting call awaiting once soon until could",
    /\b(?:waiting (?:on|for) (?:you|your)|your call|awaiting your|if you could\b(?! have)|(?:as soon as|once|until) you(?:'ve| have)? (?:\p{L}+ )?(?:confirm|upload|sen[dt]|repl|provide|share|sign|approve|cho[so]|pick|decide|let)|once (?:you(?:'ve| have)?|i have) .{0,40}(?:send|provide|share|reply|confirm))\b/u,
  ),
  latin(
    "you",
    /\b(?:could|can|would|will) you (?:please |kindly |also )*(?:provide|specify|confirm|tell|give|share|clarify|verify|send|choose)\b/u,
  ),
  latin(
    "about think say does",
    /\b(?:how|what) about (?!you\b|that\W*$)[\p{L}\d]|\bwhat do you (?:think|say)\b|\bdoes (?:that|this|it) (?:sound|work|suit|look)\b/u,
  ),
  latin(
    "confirm reconfirm verify recap check sure clarify confirming see",
    new RegExp(
      `\\b(?:to|let me|let's|i(?:'d| would) like to|i want to|want to) (?:re-?)?(?:confirm|verify|recap|double[- ]check|make sure|clarify)\\b[^.?!]{0,40}(?::|,|\\byou\\b|\\bi (?:have|got|heard)\\b|\\bthe following\\b)|${start}(?:please )?(?:confirm|verify|check (?:if|that|whether|the (?:details|following)))\\b|\\blet me see if i\\b|${start}confirming\\b`,
      "u",
    ),
  ),
  latin(
    "correct right ok okay accurate fine",
    /\b(?:is|are) (?:that|this|these|it|everything|all|the (?:details|information)) (?:all )?(?:still )?(?:correct|right|ok|okay|accurate|fine)\b/u,
  ),
  latin(
    "would want time day date city one area kind type try shall should",
    /\b(?:would you like (?:me )?to|do you want (?:me )?to|(?:what|which) (?:time|day|date|city|one|area|kind|type) (?:would|do|are|should) (?:you|i)|can i try|shall i|should i)\b/u,
  ),
  latin(
    "yes y ja sí si oui sim",
    /\(?\b(?:yes|y|ja|sí|si|oui|sim)\s*\/\s*(?:no|n|nein|non|não)\b/u,
  ),
  latin("press hit speak", /\b(?:press|hit) (?:enter|return|any key|\d)\b|\bspeak up\b/u),
  latin(
    "favor",
    /\b(?:por favor|favor de)\b[^.!?]{0,80}\b(?:indi\p{L}*|proporcion\p{L}*|confirm\p{L}*|dime|dígame|dame|deme|envíe\p{L}*|envía\p{L}*|inform\p{L}*|ingres\p{L}*|introdu[zc]\p{L}*|facilit\p{L}*|especifi\p{L}*|selecci\p{L}*|eli(?:ja|ge)|escrib\p{L}*|verifi\p{L}*|compart\p{L}*|digit\p{L}*|envi\p{L}*|escolh\p{L}*|forne\p{L}*)/u,
  ),
  latin(
    "elige elija escribe escriba indica indique selecciona seleccione confirma confirme envía envíe responde responda quedo espero necesito necesitaría requiero pido dime dígame preciso indícame indícanos indíqueme dígame díganos proporcióname confírmame facilíteme facilítame indíquenos",
    /^[^\p{L}\p{N}]*(?:elige|elija|escribe|escriba|indica|indique|selecciona|seleccione|confirma|confirme|envía|envíe|responde|responda)(?!\p{L})|\b(?:quedo a la espera|espero su|espero tu)(?!\p{L})|\b(?:necesito|necesitaría|requiero) (?:que|saber|el|la|los|las|su|tu|un|una|más)(?!\p{L})|\b(?:indíca|proporcióna|confírma|indíque|díga|facilíte|facilíta)(?:me|nos)\b|\bte pido que\b|\bdime\b|\bdígame\b|\bpreciso (?:do|da|de|que|saber)\b/u,
  ),
  latin(
    "sagen nennen geben serve inserisca indichi confermi scelga aurais bitte brauche benötige merci veuillez plaît indiquez donnez confirmez choisissez précisez dites besoin favore prego mi ho lütfen",
    /\bbitte\b[^.!?]{0,60}\b(?:nennen|geben|teilen|bestätigen|wählen|schreiben|senden|sagen|angeben|mitteilen)\b|\b(?:sagen|nennen|geben) sie (?:mir|uns)\b|\bmi serve\b|^[^\p{L}\p{N}]*(?:inserisca|indichi|confermi|scelga)\b|\bich (?:brauche|benötige) (?:noch )?(?:ihre?n?|deine?n?|die|das|den|eine)\b|\bmerci (?:de|d')|\bveuillez (?!patienter|noter|trouver)|\bs'il vous plaît|\b(?:indiquez|donnez|confirmez|choisissez|précisez|dites)[- ](?:moi|nous|votre|le|la|si)\b|\bj'(?:ai|aurais) besoin (?:de|d'|du)|\b(?:per favore|la prego|mi) (?:indichi|fornisca|dica|confermi|inserisca|scelga)\b|\bho bisogno (?:del|della|di)\b|\blütfen\b(?!.*bekle)(?!.*unutma)(?!.*getir)/u,
  ),
  han(
    /(?<!提示)[请請](?:您|你)?(?:再)?(?:提供|告诉|告訴|告知|输入|輸入|确认|確認|选择|選擇|说明|說明|问|問|回复|回覆|核对|补充|描述|给我)|麻烦(?:您|你)|(?:还|還)?需要(?:您|你)的|我?(?:需要|想)(?:知道|了解)(?:一下)?(?:您|你)?|(?:吗|嗎|可好|怎么样|怎麼樣)[。.]?$|(?<!什)么[。.]?$/u,
  ),
  han(
    /(?:教え|知らせ|入力し|ご入力|選ん|お選び|ご確認|指定し|ご指定|お聞かせ|お教え|お伝え|おっしゃっ|仰っ)(?:て|で)?(?:いただけ|頂け|もらえ|くださ|下さ)|(?:でしょう|ましょう|ですか|ますか|ませんか|ましたか|ないですか)(?:か)?[？?。]?$|いかが(?:でしょう|です|なさいます|いたします)|どう(?:されます|なさいます|します|しましょう)|よろしい(?:でしょう|です)|(?<!よろしく)(?<!宜しく)お願い(?:いた|致)?します/u,
  ),
  cyrillic(
    /(?<!\p{L})(?:подскажите|укажите|сообщите|введите|подтвердите|выберите|уточните|назовите|скажите|напишите|предоставьте|дайте(?: мне)? знать|опишите|пришлите|расскажите)(?!\p{L})|(?:мне|нам) (?:просто |также |ещ[её] |только )?(?:нужно|нужен|нужна|нужны|необходимо)(?!\p{L})|как насч[её]т|(?<!\p{L})жд[уё]м?(?:\s\p{L}+)? ваш|пожалуйста[^\p{L}]*$/u,
  ),
  other(
    /(?:يرجى|من فضلك|الرجاء)(?!.*نتظار)|(?:알려|입력해|선택해|확인해|말씀해|보내)\s?(?:주세요|주십시오|주시)|까요|कृपया(?!.*प्रतीक्षा)|बताएं|παρακαλώ(?!.*περιμ)/u,
  ),
];

/** Please, and yet nothing is asked. */
export const notRequest: readonly Cue[] = [
  latin(
    "please kindly hesitate",
    /\b(?:please|kindly) (?:find|note|see|be (?:aware|advised|patient|sure)|keep|remember|wait|hold|allow|stand by|enjoy|visit|refer|arrive|contact|call|do not|don't|feel|bear|rest|accept my|come|make sure|follow)\b|\bhesitate to\b/u,
  ),
  // Code.
  latin("", /;\s*$|^select\b.*\bfrom\b/u),
  cyrillic(
    /^[^\p{L}\p{N}]*пожалуйста[^\p{L}]*$|(?<!\p{L})(?:приходите|наслаждайтесь|позвоните|обращайтесь|звоните)(?!\p{L})|^[^\p{L}\p{N}]*пожалуйста[.!,]\s*(?:рад|всегда|обращ|хорош|$)/u,
  ),
];

/** What may follow a question without taking it back: what happens with the answer, or more about what was offered. */
export const followUp: readonly Cue[] = [
  latin(
    "",
    from(
      /(?:if (?:so|not|yes|no|you|that|it|either)\b|you(?:'d|'ll| would| will)? (?:want|like|need|be)\b|once (?:i|you|that|we)|with (?:that|this|those|these)|after that|then i|this (?:will|would|helps|allows|way|is (?:so|needed|required|for))|that (?:way|will|would)|otherwise|alternatively|or (?:if|you|would|should)|for (?:example|instance)|e\.g\.|you can (?:say|also|choose|tell|find|reply)|i(?:'ll| will| can| could| would)(?: then| also| now)? (?:document|assist|help|proceed|then|be able|start|book|go ahead|look|find|create|make|initiate|try|reserve|check|get|need|search|send)|it(?:'s|s)?\b|they(?:'re)?\b|the (?:ticket|price|cost|average|flight|show|return|total|fare|rent|event|hotel|address|location|film|movie|house|property|train|bus|rating|departure)|there(?:'s| is| are)|he(?:'s)?\b|she(?:'s)?\b|this (?:one|flight|hotel|movie|place|property|film|is|train)|that (?:one|flight|train)|their\b|located|cost|price|each\b|departing|leaving|your (?:total|options))/u,
    ),
  ),
  latin(
    "",
    from(
      /(?:si (?:es|no|así|tienes|lo|prefieres|continúas|necesitas)|con (?:esta|esa|este|ese|eso|esto|dicha)|así|una vez|esto (?:me )?|de (?:esta|esa) (?:forma|manera)|puedo|podemos|ofrecemos|también|luego|para (?:poder|ello)|por ejemplo|es importante|te sugiero)(?!\p{L})/u,
    ),
  ),
  han(
    /^(?:如果|它|这|這|那|在|地址|价格|票价|有了|另外|或者|我可以|我会|我们|他们|该)|^(?:ジャンル|タイプ|場所|住所|料金|価格|営業|電話|こちら|そちら|駅|もし|また|最寄)|(?:となります|になります|でございます)。?$/u,
  ),
  cyrillic(
    from(
      /(?:если|после|тогда|это|он|она|они|я (?:могу|смогу|хочу|постараюсь)|в (?:этом|таком) случае|стоимость|цена|адрес|отправ\p{L}*|поезд|там|мы)(?!\p{L})/u,
    ),
  ),
];

/** It is done: a question before it has been overtaken. */
export const done: readonly Cue[] = [
  latin(
    "been confirmed booked reserved complete scheduled cancelled canceled done have ve successful successfully confirmation reference",
    /\b(?:has|have|had)(?: now| already| just)? been\b|\bis (?:now )?(?:confirmed|booked|reserved|complete|scheduled|cancell?ed|done)\b|\b(?:i|we)(?:'ve| have) (?:now |already |successfully |just )*(?:booked|reserved|scheduled|sent|cancell?ed|created|submitted|transferred|updated|added|purchased|made|placed|saved|set|checked)\b|\bsuccessful(?:ly)?\b|\b(?:confirmation|reference) (?:number|code)\b/u,
  ),
];

/** Asked for, whatever help is offered in the same sentence. */
export const strongRequest: readonly Cue[] = [
  latin(
    "you please try",
    /\b(?:could|can|would|will) you (?:please |kindly |also )*(?:provide|specify|confirm|tell|give|share|clarify|verify|send|double-check|check|choose|let me know (?:which|what|when|where|how|your|the))\b|\bplease (?:provide|specify|confirm|verify|choose|select|enter|let me know (?:which|what|when|where|how|your|the))\b|\bdo you (?:happen to )?have\b(?! any ?(?:thing|one)? ?(?:more|other|further|else|questions?|concerns?|requests?)\b)|\bdo you happen to have\b|\b(?:can|shall|should|may) i try\b|\bwould you like (?:me )?to (?!know\b|help|assist|do anything)/u,
  ),
  latin(
    "podrías podría puedes puede",
    /(?:podrías|podría|puedes|puede) (?:por favor )?(?:proporcionar|indicar|confirmar|decir|verificar|dar|especificar)/u,
  ),
  han(/偏好|要求|条件|條件|喜好/u),
];

/** Where an offer of more begins, behind a question of its own: "Music or Theater or anything else?" */
export const orElse =
  /,?\s+or\s+(?=(?:is there|if you|let me|anything|any(?:one)? other|any more|something|someone|some other|somewhere|should|what else|another|any)\b)/iu;
