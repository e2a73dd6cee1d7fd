;; Puts the module together that streams.mjs took apart: the streams are explained there, and it fills in the names in
;; capitals. Written by hand, because it has to be short, and in wasm, because in the first milliseconds of a page
;; JavaScript would take several times as long.
;; In memory: where each stream is read, four bytes each, at OUT where the module goes, at FUNCTIONS how many functions it
;; has and at IMPORTED how many it imports; from TOKENS_AT on the table, 16 bytes for a token: its length, what follows, its
;; bytes; then lists of numbers, those named last first: from RECENT on the locals of a function, from CALLED on functions,
;; from KNOWN on addresses; from LOADS on, for each local, the last offset behind it; from COUNTED on 0, 1, 2...; then the
;; text as UTF-8, then the module.
(module
  (memory (export "memory") PAGES)
  (global $to (mut i32) (i32.const 0))

  ;; The next character of a stream. None is beyond U+FFFF.
  (func $next (param $stream i32) (result i32)
    (local $at i32) (local $first i32) (local $code i32)
    (local.set $at (i32.load (local.get $stream)))
    (local.set $code (local.tee $first (i32.load8_u (local.get $at))))
    (if (i32.ge_u (local.get $first) (i32.const 0x80)) (then
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $code (i32.sub
        (i32.add (i32.shl (local.get $code) (i32.const 6)) (i32.load8_u (local.get $at)))
        (i32.const 0x3080)))
      (if (i32.ge_u (local.get $first) (i32.const 0xe0)) (then
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $code (i32.sub
          (i32.add (i32.shl (local.get $code) (i32.const 6)) (i32.load8_u (local.get $at)))
          (i32.const 0x20080)))))))
    (i32.store (local.get $stream) (i32.add (local.get $at) (i32.const 1)))
    (local.get $code))

  ;; The next number: characters are counted without those that the text leaves out.
  (func $number (param $stream i32) (result i32)
    (local $code i32)
    (local.set $code (call $next (local.get $stream)))
    (i32.sub (local.get $code) (i32.add
      (i32.add
        (i32.add (i32.const FIRST) (i32.gt_u (local.get $code) (i32.const 0x3c)))
        (i32.add (i32.gt_u (local.get $code) (i32.const 0x5c)) (i32.gt_u (local.get $code) (i32.const 0x60))))
      (i32.mul (i32.gt_u (local.get $code) (i32.const 0x7e)) (i32.const GAP)))))

  (func $put (param $byte i32)
    (i32.store8 (global.get $to) (local.get $byte))
    (global.set $to (i32.add (global.get $to) (i32.const 1))))

  (func $copy (param $stream i32) (param $count i32)
    (block $done (loop $more
      (br_if $done (i32.eqz (local.get $count)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (call $put (call $next (local.get $stream)))
      (br $more))))

  ;; A number in LEB128, of which the last byte holds at most so much.
  (func $write (param $number i32) (param $most i32)
    (loop $more
      (if (i32.gt_u (local.get $number) (local.get $most)) (then
        (call $put (i32.or (local.get $number) (i32.const 0x80)))
        (local.set $number (i32.shr_u (local.get $number) (i32.const 7)))
        (br $more))))
    (call $put (local.get $number)))

  ;; Copies a whole stream: up to where the next one begins.
  (func $all (param $stream i32)
    (loop $more
      (call $copy (local.get $stream) (i32.const 1))
      (br_if $more (i32.lt_u (i32.load (local.get $stream)) (i32.load offset=4 (local.get $stream))))))

  ;; Puts a number before others of a list.
  (func $before (param $list i32) (param $others i32) (param $number i32)
    (memory.copy
      (i32.add (local.get $list) (i32.const 4))
      (local.get $list)
      (i32.shl (local.get $others) (i32.const 2)))
    (i32.store (local.get $list) (local.get $number)))

  ;; Moves a number of a list to its front.
  (func $front (param $list i32) (param $place i32) (result i32)
    (local $number i32)
    (local.set $number (i32.load (i32.add (local.get $list) (i32.shl (local.get $place) (i32.const 2)))))
    (call $before (local.get $list) (local.get $place) (local.get $number))
    (local.get $number))

  (func (export "join")
    (local $functions i32) (local $before i32) (local $groups i32) (local $token i32) (local $what i32)
    (local $number i32) (local $at i32) (local $next i32) (local $called i32) (local $known i32) (local $fresh i32)
    (local $local i32) (local $highest i32) (local $store i32)
    (loop $more
      (local.set $groups (i32.shl (local.get $number) (i32.const 2)))
      (i32.store offset=COUNTED (local.get $groups) (local.get $number))
      (i32.store offset=CALLED (local.get $groups) (local.get $number))
      (br_if $more (i32.lt_u
        (local.tee $number (i32.add (local.get $number) (i32.const 1)))
        (i32.const MOST_FUNCTIONS))))
    (local.set $at (local.tee $next (i32.load (i32.const IMPORTED))))
    (local.set $called (i32.add (local.get $at) (i32.load (i32.const FUNCTIONS))))
    (local.set $fresh (i32.const DATA))
    (local.set $token (i32.const TOKENS_AT))
    (loop $more
      (global.set $to (local.get $token))
      (call $copy (i32.const TABLE) (i32.const 2))
      (call $copy (i32.const TABLE) (i32.load8_u (local.get $token)))
      (local.set $token (i32.add (local.get $token) (i32.const 16)))
      (br_if $more (i32.lt_u (i32.load (i32.const TABLE)) (i32.load offset=4 (i32.const TABLE)))))
    (global.set $to (i32.load (i32.const OUT)))
    (call $all (i32.const HEAD))
    (local.set $functions (i32.load (i32.const FUNCTIONS)))
    (loop $function
      ;; The size stands before the function, and is not known yet: at most five bytes.
      (local.set $before (global.get $to))
      (global.set $to (i32.add (global.get $to) (i32.const 5)))

      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $next (select (local.get $at) (local.get $next) (i32.gt_u (local.get $at) (local.get $next))))
      (local.set $store (i32.const 0))
      (local.set $local (i32.const 0))
      (local.set $highest (i32.const -1))
      (memory.copy (i32.const RECENT) (i32.const COUNTED) (i32.const RECENT_SIZE))
      (memory.fill (i32.const LOADS) (i32.const 0) (i32.const LOADS_SIZE))

      ;; Locals: how many groups; of each group a number and a byte below 128, which reads like a number.
      (call $copy (i32.const LOCALS) (i32.const 1))
      (local.set $groups (i32.shl (i32.load8_u (i32.sub (global.get $to) (i32.const 1))) (i32.const 1)))
      (block $done (loop $more
        (br_if $done (i32.eqz (local.get $groups)))
        (call $copy (i32.const LOCALS) (i32.const 1))
        (local.set $groups (i32.sub (local.get $groups)
          (i32.lt_u (i32.load8_u (i32.sub (global.get $to) (i32.const 1))) (i32.const 0x80))))
        (br $more)))

      (loop $instruction
        (local.set $token (i32.add (i32.const TOKENS_AT)
          (i32.shl (call $number (i32.const TOKENS)) (i32.const 4))))
        (i64.store (global.get $to) (i64.load offset=2 (local.get $token)))
        (i32.store offset=8 (global.get $to) (i32.load offset=10 (local.get $token)))
        (global.set $to (i32.add (global.get $to) (i32.load8_u (local.get $token))))
        (local.set $what (i32.load8_u offset=1 (local.get $token)))
        (br_if $instruction (i32.eqz (local.get $what)))
        (if (i32.lt_u (local.get $what) (i32.const TABLE)) (then
          (local.set $number (call $number (local.get $what)))
          ;; A local: one by its place in the list, or, if it is set, the one behind all that were named.
          (if (i32.le_u (local.get $what) (i32.const SET)) (then
            (if (i32.eq (local.get $what) (i32.const SET)) (then
              (local.set $number (i32.sub (local.get $number) (i32.const 1)))))
            (if (i32.lt_s (local.get $number) (i32.const 0))
              (then (call $before (i32.const RECENT) (i32.const LAST_RECENT)
                (local.tee $number (i32.add (local.get $highest) (i32.const 1)))))
              (else (local.set $number (call $front (i32.const RECENT) (local.get $number)))))
            (local.set $highest (select (local.tee $local (local.get $number)) (local.get $highest)
              (i32.gt_s (local.get $number) (local.get $highest))))))
          ;; An offset: so far from the one before.
          (if (i32.or
            (i32.eq (local.get $what) (i32.const OFFSET))
            (local.tee $groups (i32.eq (local.get $what) (i32.const STORE)))) (then
            (local.set $number (i32.xor
              (i32.shr_u (local.get $number) (i32.const 1))
              (i32.sub (i32.const 0) (i32.and (local.get $number) (i32.const 1)))))
            (if (local.get $groups)
              (then (local.set $store (local.tee $number (i32.add (local.get $number) (local.get $store)))))
              (else
                (local.set $groups (i32.shl (local.get $local) (i32.const 2)))
                (i32.store offset=LOADS (local.get $groups)
                  (local.tee $number (i32.add (local.get $number) (i32.load offset=LOADS (local.get $groups)))))))))
          ;; A function: the next new one, or one by its place in the list.
          (if (i32.eq (local.get $what) (i32.const CALL)) (then
            (if (local.get $number)
              (then (local.set $number (call $front (i32.const CALLED) (i32.sub (local.get $number) (i32.const 1)))))
              (else
                (call $before (i32.const CALLED) (local.get $called) (local.tee $number (local.get $next)))
                (local.set $called (i32.add (local.get $called) (i32.const 1)))
                (local.set $next (i32.add (local.get $next) (i32.const 1)))))))
          ;; An address: so far behind the last new one, or one by its place in the list.
          (if (i32.eq (local.get $what) (i32.const ADDRESS)) (then
            (if (local.get $number)
              (then (local.set $number (call $front (i32.const KNOWN) (i32.sub (local.get $number) (i32.const 1)))))
              (else
                (local.set $fresh (i32.add (local.get $fresh) (call $number (i32.const FRESH))))
                (if (i32.ge_u (local.get $fresh) (i32.const BEHIND)) (then
                  (local.set $fresh (i32.sub (local.get $fresh) (i32.const NUMBERS)))))
                (call $before (i32.const KNOWN) (local.get $known) (local.tee $number (local.get $fresh)))
                (local.set $known (i32.add (local.get $known) (i32.const 1)))))))
          (call $write (local.get $number)
            (select (i32.const 0x3f) (i32.const 0x7f) (i32.ge_u (local.get $what) (i32.const ADD))))
          (br $instruction)))
        (if (i32.eq (local.get $what) (i32.const RARE)) (then
          (call $copy (i32.const RARE) (i32.and (call $next (i32.const RARE)) (i32.const 0xff)))
          (br $instruction))))

      ;; The function moves up behind its size.
      (local.set $number (i32.sub (global.get $to) (i32.add (local.get $before) (i32.const 5))))
      (global.set $to (local.get $before))
      (call $write (local.get $number) (i32.const 0x7f))
      (memory.copy (global.get $to) (i32.add (local.get $before) (i32.const 5)) (local.get $number))
      (global.set $to (i32.add (global.get $to) (local.get $number)))
      (br_if $function (local.tee $functions (i32.sub (local.get $functions) (i32.const 1)))))
    (call $all (i32.const REST)))
)
