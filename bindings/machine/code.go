package machine

// The operations of the loop. Of an operator there are three in a row: for two registers,
// and with a number on the right and on the left.
const (
	xMove = iota
	xMoveN
	xLoadK
	xLoadN
	xLoadBool
	xLoadNil
	xGetUpvalue
	xSetUpvalue
	xGetGlobal
	xSetGlobal
	xGetTable
	xGetNumber
	xGetField
	xSetTable
	xSetField
	xNewTable
	xSelf
	xSelfAny
	xAdd
	xAddRN
	xAddNR
	xSub
	xSubRN
	xSubNR
	xMul
	xMulRN
	xMulNR
	xDiv
	xDivRN
	xDivNR
	xMod
	xModRN
	xModNR
	xPow
	xPowRN
	xPowNR
	xArith // with a constant that is no number, or two constants
	xUnm
	xNot
	xLen
	xConcat
	xJump
	xEqual
	xEqualRN
	xEqualNR
	xLess
	xLessRN
	xLessNR
	xAtMost
	xAtMostRN
	xAtMostNR
	xCompareAny // with other constants: ==
	xLessAny
	xAtMostAny
	xTest
	xTestSet
	xCall
	xTailCall
	xReturn
	xReturnOne
	xForLoop
	xForBlocks // of a loop that blocks can execute
	xForPrep
	xForIn
	xSetList
	xClose
	xClosure
	xVararg
	xNop
	xTranslate // what the code of a function is before it runs for the first time

	// stepping is added to an operation that looks at the budget first.
	stepping = 128
)
