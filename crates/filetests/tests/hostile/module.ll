; The undamaged module of hostile.rs: clang -O1 -g of a blur with calls, structures and globals.
source_filename = "m.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.point = type { double, double, i32 }

@weights = dso_local local_unnamed_addr global [64 x double] zeroinitializer, align 16, !dbg !0
@names.rel = internal unnamed_addr constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @.str to i64), i64 ptrtoint (ptr @names.rel to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @.str.1 to i64), i64 ptrtoint (ptr @names.rel to i64)) to i32)], align 4
@.str = private unnamed_addr constant [4 x i8] c"one\00", align 1, !dbg !5
@.str.1 = private unnamed_addr constant [4 x i8] c"two\00", align 1, !dbg !11

; Function Attrs: nounwind uwtable
define dso_local void @blur(i64 noundef %n, i64 noundef %m, ptr noalias noundef captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noundef captures(none) %p) local_unnamed_addr #0 !dbg !36 {
entry:
    #dbg_value(i64 %n, !53, !DIExpression(), !66)
    #dbg_value(i64 %m, !54, !DIExpression(), !66)
    #dbg_value(ptr %a, !55, !DIExpression(), !66)
    #dbg_value(ptr %b, !56, !DIExpression(), !66)
    #dbg_value(ptr %p, !57, !DIExpression(), !66)
    #dbg_value(i64 1, !58, !DIExpression(), !67)
  %cmp58 = icmp sgt i64 %n, 1, !dbg !68
  br i1 %cmp58, label %for.cond1.preheader.lr.ph, label %for.cond20.preheader, !dbg !69

for.cond1.preheader.lr.ph:                        ; preds = %entry
  %cmp256 = icmp sgt i64 %m, 1
  br label %for.cond1.preheader, !dbg !69

for.cond1.preheader:                              ; preds = %for.cond1.preheader.lr.ph, %for.inc16
  %i.059 = phi i64 [ 1, %for.cond1.preheader.lr.ph ], [ %inc17, %for.inc16 ]
    #dbg_value(i64 %i.059, !58, !DIExpression(), !67)
    #dbg_value(i64 1, !60, !DIExpression(), !70)
  br i1 %cmp256, label %for.body4.lr.ph, label %for.cond.cleanup3, !dbg !71

for.body4.lr.ph:                                  ; preds = %for.cond1.preheader
  %mul = mul nuw nsw i64 %i.059, %m
  %0 = getelementptr double, ptr %b, i64 %mul
  %1 = getelementptr [64 x double], ptr %a, i64 %i.059
  %arrayidx7 = getelementptr i8, ptr %1, i64 -512
  br label %for.body4, !dbg !71

for.cond20.preheader:                             ; preds = %for.inc16, %entry
    #dbg_value(i64 0, !64, !DIExpression(), !72)
  %cmp2160 = icmp sgt i64 %n, 0, !dbg !73
  br i1 %cmp2160, label %land.rhs, label %for.cond.cleanup24, !dbg !75

for.cond.cleanup3:                                ; preds = %for.body4, %for.cond1.preheader
  %arrayidx11 = getelementptr inbounds nuw %struct.point, ptr %p, i64 %i.059, !dbg !76
  %tag = getelementptr inbounds nuw i8, ptr %arrayidx11, i64 16, !dbg !78
  %2 = load i32, ptr %tag, align 8, !dbg !78, !tbaa !79
  %cmp12 = icmp sgt i32 %2, 3, !dbg !82
  br i1 %cmp12, label %if.then, label %for.inc16, !dbg !83

for.body4:                                        ; preds = %for.body4.lr.ph, %for.body4
  %j.057 = phi i64 [ 1, %for.body4.lr.ph ], [ %inc, %for.body4 ]
    #dbg_value(i64 %j.057, !60, !DIExpression(), !70)
  %arrayidx = getelementptr double, ptr %0, i64 %j.057, !dbg !84
  %3 = load double, ptr %arrayidx, align 8, !dbg !84, !tbaa !86
  %arrayidx5 = getelementptr inbounds nuw double, ptr @weights, i64 %j.057, !dbg !87
  %4 = load double, ptr %arrayidx5, align 8, !dbg !87, !tbaa !86
  %arrayidx8 = getelementptr inbounds nuw double, ptr %arrayidx7, i64 %j.057, !dbg !88
  %5 = load double, ptr %arrayidx8, align 8, !dbg !88, !tbaa !86
  %6 = tail call double @llvm.fmuladd.f64(double %3, double %4, double %5), !dbg !89
  %arrayidx10 = getelementptr inbounds nuw double, ptr %1, i64 %j.057, !dbg !90
  store double %6, ptr %arrayidx10, align 8, !dbg !91, !tbaa !86
  %inc = add nuw nsw i64 %j.057, 1, !dbg !92
    #dbg_value(i64 %inc, !60, !DIExpression(), !70)
  %exitcond.not = icmp eq i64 %inc, %m, !dbg !93
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4, !dbg !94, !llvm.loop !95

if.then:                                          ; preds = %for.cond.cleanup3
  %and = and i64 %i.059, 1, !dbg !100
  %reltable.shift = shl i64 %and, 2, !dbg !102
  %reltable.intrinsic = call ptr @llvm.load.relative.i64(ptr @names.rel, i64 %reltable.shift), !dbg !102
  tail call void @note(ptr noundef %reltable.intrinsic) #5, !dbg !103
  %7 = load double, ptr %arrayidx11, align 8, !dbg !104, !tbaa !105
  %add15 = fadd double %7, 1.000000e+00, !dbg !106
  store double %add15, ptr %arrayidx11, align 8, !dbg !107, !tbaa !105
  br label %for.inc16, !dbg !108

for.inc16:                                        ; preds = %for.cond.cleanup3, %if.then
  %inc17 = add nuw nsw i64 %i.059, 1, !dbg !109
    #dbg_value(i64 %inc17, !58, !DIExpression(), !67)
  %exitcond62.not = icmp eq i64 %inc17, %n, !dbg !110
  br i1 %exitcond62.not, label %for.cond20.preheader, label %for.cond1.preheader, !dbg !111, !llvm.loop !112

land.rhs:                                         ; preds = %for.cond20.preheader, %for.body25
  %i19.061 = phi i64 [ %inc31, %for.body25 ], [ 0, %for.cond20.preheader ]
    #dbg_value(i64 %i19.061, !64, !DIExpression(), !72)
  %arrayidx22 = getelementptr inbounds nuw %struct.point, ptr %p, i64 %i19.061, !dbg !115
  %y = getelementptr inbounds nuw i8, ptr %arrayidx22, i64 8, !dbg !116
  %8 = load double, ptr %y, align 8, !dbg !116, !tbaa !117
  %cmp23 = fcmp ogt double %8, 0.000000e+00, !dbg !118
  br i1 %cmp23, label %for.body25, label %for.cond.cleanup24, !dbg !119

for.cond.cleanup24:                               ; preds = %land.rhs, %for.body25, %for.cond20.preheader
  ret void, !dbg !120

for.body25:                                       ; preds = %land.rhs
  %9 = load double, ptr %arrayidx22, align 8, !dbg !121, !tbaa !105
  %call = tail call double @sqrt(double noundef %9) #5, !dbg !122, !tbaa !32
  store double %call, ptr %y, align 8, !dbg !123, !tbaa !117
  %inc31 = add nuw nsw i64 %i19.061, 1, !dbg !124
    #dbg_value(i64 %inc31, !64, !DIExpression(), !72)
  %exitcond63.not = icmp eq i64 %inc31, %n, !dbg !125
  br i1 %exitcond63.not, label %for.cond.cleanup24, label %land.rhs, !dbg !126, !llvm.loop !127
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fmuladd.f64(double, double, double) #1

declare !dbg !130 void @note(ptr noundef) local_unnamed_addr #2

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(errnomem: write)
declare !dbg !133 double @sqrt(double noundef) local_unnamed_addr #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare ptr @llvm.load.relative.i64(ptr, i64) #4

attributes #0 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { mustprogress nocallback nofree nounwind willreturn memory(errnomem: write) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
attributes #5 = { nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!24, !25, !26, !27, !28, !29, !30}
!llvm.ident = !{!31}
!llvm.errno.tbaa = !{!32}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "weights", scope: !2, file: !3, line: 2, type: !20, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "clang version 22", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, globals: !4, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "m.c", directory: "/src", checksumkind: CSK_MD5, checksum: "da29a449d00caf828ce4179dcd6cb11c")
!4 = !{!0, !5, !11, !13}
!5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
!6 = distinct !DIGlobalVariable(scope: null, file: !3, line: 3, type: !7, isLocal: true, isDefinition: true)
!7 = !DICompositeType(tag: DW_TAG_array_type, baseType: !8, size: 32, elements: !9)
!8 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!9 = !{!10}
!10 = !DISubrange(count: 4)
!11 = !DIGlobalVariableExpression(var: !12, expr: !DIExpression())
!12 = distinct !DIGlobalVariable(scope: null, file: !3, line: 3, type: !7, isLocal: true, isDefinition: true)
!13 = !DIGlobalVariableExpression(var: !14, expr: !DIExpression())
!14 = distinct !DIGlobalVariable(name: "names", scope: !2, file: !3, line: 3, type: !15, isLocal: true, isDefinition: true)
!15 = !DICompositeType(tag: DW_TAG_array_type, baseType: !16, size: 128, elements: !18)
!16 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !17, size: 64)
!17 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !8)
!18 = !{!19}
!19 = !DISubrange(count: 2)
!20 = !DICompositeType(tag: DW_TAG_array_type, baseType: !21, size: 4096, elements: !22)
!21 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!22 = !{!23}
!23 = !DISubrange(count: 64)
!24 = !{i32 7, !"Dwarf Version", i32 5}
!25 = !{i32 2, !"Debug Info Version", i32 3}
!26 = !{i32 1, !"wchar_size", i32 4}
!27 = !{i32 8, !"PIC Level", i32 2}
!28 = !{i32 7, !"PIE Level", i32 2}
!29 = !{i32 7, !"uwtable", i32 2}
!30 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!31 = !{!"clang version 22"}
!32 = !{!33, !33, i64 0}
!33 = !{!"int", !34, i64 0}
!34 = !{!"omnipotent char", !35, i64 0}
!35 = !{!"Simple C/C++ TBAA"}
!36 = distinct !DISubprogram(name: "blur", scope: !3, file: !3, line: 6, type: !37, scopeLine: 6, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !52, keyInstructions: true)
!37 = !DISubroutineType(types: !38)
!38 = !{null, !39, !39, !40, !42, !45}
!39 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!40 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !41)
!41 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !20, size: 64)
!42 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !43)
!43 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !44, size: 64)
!44 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !21)
!45 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !46, size: 64)
!46 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "point", file: !3, line: 5, size: 192, elements: !47)
!47 = !{!48, !49, !50}
!48 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !46, file: !3, line: 5, baseType: !21, size: 64)
!49 = !DIDerivedType(tag: DW_TAG_member, name: "y", scope: !46, file: !3, line: 5, baseType: !21, size: 64, offset: 64)
!50 = !DIDerivedType(tag: DW_TAG_member, name: "tag", scope: !46, file: !3, line: 5, baseType: !51, size: 32, offset: 128)
!51 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!52 = !{!53, !54, !55, !56, !57, !58, !60, !64}
!53 = !DILocalVariable(name: "n", arg: 1, scope: !36, file: !3, line: 6, type: !39)
!54 = !DILocalVariable(name: "m", arg: 2, scope: !36, file: !3, line: 6, type: !39)
!55 = !DILocalVariable(name: "a", arg: 3, scope: !36, file: !3, line: 6, type: !40)
!56 = !DILocalVariable(name: "b", arg: 4, scope: !36, file: !3, line: 6, type: !42)
!57 = !DILocalVariable(name: "p", arg: 5, scope: !36, file: !3, line: 6, type: !45)
!58 = !DILocalVariable(name: "i", scope: !59, file: !3, line: 7, type: !39)
!59 = distinct !DILexicalBlock(scope: !36, file: !3, line: 7, column: 3)
!60 = !DILocalVariable(name: "j", scope: !61, file: !3, line: 8, type: !39)
!61 = distinct !DILexicalBlock(scope: !62, file: !3, line: 8, column: 5)
!62 = distinct !DILexicalBlock(scope: !63, file: !3, line: 7, column: 32)
!63 = distinct !DILexicalBlock(scope: !59, file: !3, line: 7, column: 3)
!64 = !DILocalVariable(name: "i", scope: !65, file: !3, line: 12, type: !39)
!65 = distinct !DILexicalBlock(scope: !36, file: !3, line: 12, column: 3)
!66 = !DILocation(line: 0, scope: !36)
!67 = !DILocation(line: 0, scope: !59)
!68 = !DILocation(line: 7, column: 22, scope: !63, atomGroup: 23, atomRank: 1)
!69 = !DILocation(line: 7, column: 3, scope: !59, atomGroup: 24, atomRank: 1)
!70 = !DILocation(line: 0, scope: !61)
!71 = !DILocation(line: 8, column: 5, scope: !61, atomGroup: 22, atomRank: 1)
!72 = !DILocation(line: 0, scope: !65)
!73 = !DILocation(line: 12, column: 22, scope: !74, atomGroup: 25, atomRank: 2)
!74 = distinct !DILexicalBlock(scope: !65, file: !3, line: 12, column: 3)
!75 = !DILocation(line: 12, column: 26, scope: !74, atomGroup: 25, atomRank: 1)
!76 = !DILocation(line: 10, column: 9, scope: !77)
!77 = distinct !DILexicalBlock(scope: !62, file: !3, line: 10, column: 9)
!78 = !DILocation(line: 10, column: 14, scope: !77)
!79 = !{!80, !33, i64 16}
!80 = !{!"point", !81, i64 0, !81, i64 8, !33, i64 16}
!81 = !{!"double", !34, i64 0}
!82 = !DILocation(line: 10, column: 18, scope: !77, atomGroup: 10, atomRank: 2)
!83 = !DILocation(line: 10, column: 18, scope: !77, atomGroup: 10, atomRank: 1)
!84 = !DILocation(line: 9, column: 17, scope: !85)
!85 = distinct !DILexicalBlock(scope: !61, file: !3, line: 8, column: 5)
!86 = !{!81, !81, i64 0}
!87 = !DILocation(line: 9, column: 32, scope: !85)
!88 = !DILocation(line: 9, column: 45, scope: !85)
!89 = !DILocation(line: 9, column: 43, scope: !85, atomGroup: 7, atomRank: 2)
!90 = !DILocation(line: 9, column: 7, scope: !85)
!91 = !DILocation(line: 9, column: 15, scope: !85, atomGroup: 7, atomRank: 1)
!92 = !DILocation(line: 8, column: 30, scope: !85, atomGroup: 8, atomRank: 2)
!93 = !DILocation(line: 8, column: 24, scope: !85, atomGroup: 5, atomRank: 1)
!94 = !DILocation(line: 8, column: 5, scope: !61, atomGroup: 6, atomRank: 1)
!95 = distinct !{!95, !96, !97, !98, !99}
!96 = !DILocation(line: 8, column: 5, scope: !61)
!97 = !DILocation(line: 9, column: 55, scope: !61)
!98 = !{!"llvm.loop.mustprogress"}
!99 = !{!"llvm.loop.unroll.disable"}
!100 = !DILocation(line: 10, column: 38, scope: !101)
!101 = distinct !DILexicalBlock(scope: !77, file: !3, line: 10, column: 23)
!102 = !DILocation(line: 10, column: 30, scope: !101)
!103 = !DILocation(line: 10, column: 25, scope: !101)
!104 = !DILocation(line: 10, column: 52, scope: !101)
!105 = !{!80, !81, i64 0}
!106 = !DILocation(line: 10, column: 52, scope: !101, atomGroup: 11, atomRank: 2)
!107 = !DILocation(line: 10, column: 52, scope: !101, atomGroup: 11, atomRank: 1)
!108 = !DILocation(line: 10, column: 58, scope: !101)
!109 = !DILocation(line: 7, column: 28, scope: !63, atomGroup: 12, atomRank: 2)
!110 = !DILocation(line: 7, column: 22, scope: !63, atomGroup: 2, atomRank: 1)
!111 = !DILocation(line: 7, column: 3, scope: !59, atomGroup: 3, atomRank: 1)
!112 = distinct !{!112, !113, !114, !98, !99}
!113 = !DILocation(line: 7, column: 3, scope: !59)
!114 = !DILocation(line: 11, column: 3, scope: !59)
!115 = !DILocation(line: 12, column: 29, scope: !74)
!116 = !DILocation(line: 12, column: 34, scope: !74)
!117 = !{!80, !81, i64 8}
!118 = !DILocation(line: 12, column: 36, scope: !74)
!119 = !DILocation(line: 12, column: 3, scope: !65, atomGroup: 16, atomRank: 1)
!120 = !DILocation(line: 14, column: 1, scope: !36, atomGroup: 20, atomRank: 1)
!121 = !DILocation(line: 13, column: 34, scope: !74)
!122 = !DILocation(line: 13, column: 14, scope: !74, atomGroup: 17, atomRank: 2)
!123 = !DILocation(line: 13, column: 12, scope: !74, atomGroup: 17, atomRank: 1)
!124 = !DILocation(line: 12, column: 42, scope: !74, atomGroup: 18, atomRank: 2)
!125 = !DILocation(line: 12, column: 22, scope: !74, atomGroup: 15, atomRank: 2)
!126 = !DILocation(line: 12, column: 26, scope: !74, atomGroup: 15, atomRank: 1)
!127 = distinct !{!127, !128, !129, !98, !99}
!128 = !DILocation(line: 12, column: 3, scope: !65)
!129 = !DILocation(line: 13, column: 35, scope: !65)
!130 = !DISubprogram(name: "note", scope: !3, file: !3, line: 4, type: !131, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!131 = !DISubroutineType(types: !132)
!132 = !{null, !16}
!133 = !DISubprogram(name: "__builtin_sqrt", scope: !3, file: !3, line: 13, type: !134, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagOptimized)
!134 = !DISubroutineType(types: !135)
!135 = !{!21, !21}
